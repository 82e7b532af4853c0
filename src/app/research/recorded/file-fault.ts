/** What is wrong with a file that somebody gave us, as against what the code got wrong: the one is told, the other thrown. */
import { ColumnFileError } from '../../../recording/columns/column-reader.ts';
import { HopelessFile } from '../../../recording/import/bad-rows.ts';
import { CsvError } from '../../../recording/import/csv-rows.ts';
import { ImportError } from '../../../recording/import/import-table.ts';
import { SourceFileError } from '../../../recording/import/source-file.ts';

/** It was asked for wrongly: the words of the command or of the configuration do not fit the file. */
export const isWronglyAsked = (error: unknown): error is ImportError => error instanceof ImportError;

export const isFileFault = (error: unknown): error is Error =>
  isWronglyAsked(error) ||
  error instanceof SourceFileError ||
  error instanceof HopelessFile ||
  error instanceof CsvError ||
  error instanceof ColumnFileError;

/** Errors of rows do not know the file that they are in. */
export const faultOf = (path: string, { message }: Error): string =>
  message.startsWith(path) ? message : `${path}: ${message}`;
