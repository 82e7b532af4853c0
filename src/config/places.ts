/** Where something is: a path, an address. */
import { z } from 'zod';

/** A path as the operating system takes it: nothing is filled in. */
export const pathText = z.string().superRefine((text, context) => {
  const refuse = (hint: string): void =>
    context.addIssue({ code: 'custom', message: 'a plain path', params: { hint } });
  if (text.trim() === '') refuse('write where it is');
  else if (text.includes('$')) refuse('variables are not filled in: write the path out');
  else if (text.startsWith('~')) refuse('~ is not filled in: write the path out');
});

/** An address without anything secret in it. */
export const address = (example: string) =>
  z.string().superRefine((text, context) => {
    const refuse = (message: string, hint = ''): void =>
      context.addIssue({ code: 'custom', message, params: { hint } });
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || url.hostname === '') {
      const scheme = example.slice(0, example.indexOf('/') + 2);
      const bare = /^[\w.-]+\.[a-z]{2,}(?::\d+)?(?:\/|$)/i.test(text);
      refuse(`an address like ${example}`, bare ? `put ${scheme} in front` : '');
    } else if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
      refuse('an address alone', 'no user, password, ? or # belongs in it');
  });
