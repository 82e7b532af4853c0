/** A configuration as the YAML that gives it: every default filled in, ready to be pasted into a file. */
import { Document, isScalar, visit } from 'yaml';
import { z } from 'zod';
import { assert } from '../domain/assert.ts';
import { type ConfigFile, configSchema } from './config-schema.ts';

/** The configuration as the file writes it: durations, percentages and times in their units. It holds no secrets, only their places. */
export const writtenConfig = (file: ConfigFile): z.input<typeof configSchema> => z.encode(configSchema, file);

/** A line of a section, with the meaning of its key as the comment. */
export function commentedLine(section: 'auth' | 'live' | 'risk', key: string, value: unknown): string {
  const meaning = Object.entries(configSchema.shape[section].unwrap().shape).find(
    ([name]) => name === key,
  )?.[1].description;
  assert(meaning !== undefined, `${section}.${key} has a meaning`);
  return `  ${key}: ${String(value)} # ${meaning}`;
}

/** Lists of plain values stay on one line. */
export function configText(file: ConfigFile): string {
  const document = new Document(writtenConfig(file), { aliasDuplicateObjects: false });
  visit(document, {
    Seq(_, list) {
      list.flow = list.items.every((item) => isScalar(item));
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
