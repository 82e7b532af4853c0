/** Faults of a simulated broker, which the cockpit shows and sets through its control API. */
import { errorText } from '../../domain/failure.ts';
import { isRecord } from '../../domain/parsed.ts';
import type { ArmedFaultState } from '../../operator/cockpit/cockpit-model.ts';
import type { CockpitFaults } from '../../operator/cockpit/cockpit-server.ts';
import type { CommandResult } from '../../operator/control-server.ts';
import type { ArmedFault } from '../../simulator/faults/fault-board.ts';
import { type Fault, faultForms, parseFaultTexts } from '../../simulator/faults/fault.ts';

export const armedFaults = ({ armed }: SimulatorFaults): readonly ArmedFaultState[] =>
  armed.map(({ fault: { name, ...parameters }, left }) => {
    const parts = Object.entries(parameters).filter(([parameter]) => parameter !== 'times');
    const given = parts.map(([parameter, value]) => `${parameter} ${String(value)}`);
    return { name, text: [...given, ...(left === null ? [] : [`${left} left`])].join(', ') };
  });

/** `onChange` hears each change that was asked for, with its outcome. */
export const pageFaults = (
  faults: SimulatorFaults,
  onChange: (text: string, by: string, outcome: CommandResult) => void,
): CockpitFaults => ({
  known: faultForms(),
  change: async (fields, by) => {
    const { name, isOn, parameters } = fields;
    if (
      typeof name !== 'string' ||
      typeof isOn !== 'boolean' ||
      (parameters !== undefined && !isTexts(parameters))
    )
      return {
        ok: false,
        message: 'a fault takes {"name": text, "isOn": true | false, "parameters"?: {name: text}}',
      };
    const outcome = await changed(faults, name, isOn, parameters ?? {});
    onChange(`fault ${name} ${isOn ? 'on' : 'off'}`, by, outcome);
    return outcome;
  },
});

const isTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  isRecord(value) && Object.values(value).every((text) => typeof text === 'string');

function changed(
  faults: SimulatorFaults,
  name: string,
  isOn: boolean,
  parameters: Readonly<Record<string, string>>,
): Promise<CommandResult> | CommandResult {
  if (!isOn) return faults.clear(name);
  const fault = parseFaultTexts(name, parameters);
  return fault.ok ? faults.set(fault.value) : refused(fault.issues);
}

const refused = (issues: unknown): CommandResult => {
  const texts = (Array.isArray(issues) ? issues : [issues]).map((issue: unknown) =>
    isRecord(issue)
      ? `${String(issue['path'])}: expected ${String(issue['expected'])}, got ${String(issue['received'])}`
      : String(issue),
  );
  return { ok: false, message: texts.join('; ') };
};

const SET: CommandResult = { ok: true, message: 'done' };
const CLEARED: CommandResult = { ok: true, message: 'cleared' };

const ANSWER_MS_MAX = 3_000;
/** A page asks four times a second. */
const POLL_MS = 1_000;

interface ControlAnswer {
  readonly armed?: readonly ArmedFault[];
  readonly issues?: unknown;
}

/** Refusals are texts. A simulator that does not answer blocks no caller: the last answer counts. */
export class SimulatorFaults {
  readonly #url: string;
  readonly #token: string;
  #armed: readonly ArmedFault[] = [];
  #polledMs = -Infinity;

  constructor(controlUrl: string, token: string) {
    this.#url = `${controlUrl}/faults`;
    this.#token = token;
  }

  /** Faults in force, as far as is known now. */
  get armed(): readonly ArmedFault[] {
    if (performance.now() - this.#polledMs > POLL_MS) {
      this.#polledMs = performance.now();
      void this.#call('', 'GET').catch(() => undefined);
    }
    return this.#armed;
  }

  async set(fault: Fault): Promise<CommandResult> {
    return this.#send('', 'POST', SET, fault);
  }

  async clear(name: string): Promise<CommandResult> {
    return this.#send(`/${encodeURIComponent(name)}`, 'DELETE', CLEARED);
  }

  async #send(path: string, method: string, done: CommandResult, body?: Fault): Promise<CommandResult> {
    try {
      const answer = await this.#call(path, method, body);
      await this.#call('', 'GET');
      return answer.issues === undefined ? done : refused(answer.issues);
    } catch (error) {
      return { ok: false, message: `the simulated broker does not answer: ${errorText(error)}` };
    }
  }

  /** Each answer that lists the faults in force is the newest one. */
  async #call(path: string, method: string, body?: Fault): Promise<ControlAnswer> {
    const reply = await fetch(this.#url + path, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    const answer = (await reply.json()) as ControlAnswer; // oxlint-disable-line typescript/no-unsafe-type-assertion -- our own simulator answers
    if (answer.armed !== undefined) this.#armed = answer.armed;
    return answer;
  }
}
