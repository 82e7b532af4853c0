/** A configuration as the YAML that gives it: every default filled in, ready to be pasted into a file. */
import { Document, isScalar, visit } from 'yaml';
import { z } from 'zod';
import { type ConfigFile, configSchema } from './config-schema.ts';

/** The configuration as the file writes it: durations, percentages and times in their units. It holds no secrets, only their places. */
export const writtenConfig = (file: ConfigFile): z.input<typeof configSchema> => z.encode(configSchema, file);

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
