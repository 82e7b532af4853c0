/** Where a one-time password comes from: a person, a command, a file, or the simulator. */

export type OtpAnswer =
  | { readonly ok: true; readonly otp: string }
  | { readonly ok: false; readonly reason: string };

export interface OtpProvider {
  readonly name: 'prompt' | 'command' | 'file' | 'fixed';
  /** Whether asking again can give another password: a person can mistype, a constant cannot. */
  readonly isFresh: boolean;
  /** Waits as long as it takes; `signal` ends the wait. */
  read(signal: AbortSignal): Promise<OtpAnswer>;
}

const OTP = /^[0-9A-Za-z]{4,32}$/;

/** What was typed or printed, as a password; the reason never shows it. */
export function parseOtp(text: string): OtpAnswer {
  const otp = text.trim();
  if (OTP.test(otp)) return { ok: true, otp };
  return { ok: false, reason: `expected 4 to 32 letters or digits, received ${otp.length} characters` };
}

/** The simulator's own, or a constant given in the environment. */
export const fixedOtp = (otp: string): OtpProvider => ({
  name: 'fixed',
  isFresh: false,
  read: () => Promise.resolve(parseOtp(otp)),
});
