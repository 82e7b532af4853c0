/** An exported table as a Parquet file, row group by row group, in memory that does not grow with it. */
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import type { Column } from '../columns/row-table.ts';
import { DecimalStep } from '../../text/decimals.ts';
import type { ExportField, ExportPart, ExportTable } from './export-table.ts';

type Element = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

const GROUP_ROWS = 1 << 17;

/** Writes to `path` as it goes: who calls gives it its name when it is whole. */
export async function writeParquet(path: string, { fields, parts }: ExportTable): Promise<void> {
  const schema: Element[] = [{ name: 'root', num_children: fields.length }, ...fields.map(elementOf)];
  const file = new ParquetWriter({ writer: fileWriter(path), schema, createdBy: 'tickwright' });
  for (const part of parts) {
    for (let from = 0; from < part.rows; from += GROUP_ROWS) {
      await file.write({
        columnData: columnData(fields, part, from, Math.min(part.rows, from + GROUP_ROWS)),
        rowGroupSize: GROUP_ROWS,
      });
    }
  }
  await file.finish();
}

function elementOf({ name, kind }: ExportField): Element {
  switch (kind) {
    case 'time':
      return {
        name,
        type: 'INT64',
        repetition_type: 'REQUIRED',
        converted_type: 'TIMESTAMP_MICROS',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
      };
    case 'price':
      return { name, type: 'DOUBLE', repetition_type: 'OPTIONAL' };
    case 'amount':
      return { name, type: 'DOUBLE', repetition_type: 'REQUIRED' };
    case 'count':
      return { name, type: 'INT32', repetition_type: 'REQUIRED' };
    case 'word':
      return { name, type: 'BYTE_ARRAY', repetition_type: 'REQUIRED', converted_type: 'UTF8' };
  }
}

const columnData = (fields: readonly ExportField[], { columns }: ExportPart, from: number, to: number) =>
  fields.map((field, i) => ({
    name: field.name,
    data: values(field, (columns[i] ?? new Int32Array(to)).subarray(from, to)),
  }));

function values(field: ExportField, column: Column) {
  switch (field.kind) {
    case 'time':
      return BigInt64Array.from({ length: column.length }, (_, i) => BigInt(column[i] ?? 0));
    case 'price': {
      const step = new DecimalStep(field.step);
      return Array.from(column, (value) => (value === 0 ? null : step.number(value)));
    }
    case 'amount': {
      const step = new DecimalStep(field.step);
      return Float64Array.from(column, (value) => step.number(value));
    }
    case 'count':
      return Int32Array.from(column);
    case 'word':
      return Array.from(column, (value) => field.words[value + field.first] ?? '');
  }
}
