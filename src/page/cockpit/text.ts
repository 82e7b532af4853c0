/** The text table of the browser's language. */
import { en } from './en.ts';
import { vi } from './vi.ts';

export const LANGUAGE: 'en' | 'vi' = navigator.languages
  .find((name) => /^(en|vi)\b/.test(name))
  ?.startsWith('vi')
  ? 'vi'
  : 'en';

export const t = LANGUAGE === 'vi' ? vi : en;
