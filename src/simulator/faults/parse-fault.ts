/** Reads a fault: unknown names, parameters and types are refused, so that a typing error is no test. */
import { type Issue, notParsed, parsed, type Parsed, shown } from '../../domain/parsed.ts';
import type { Fault, FaultName } from './fault.ts';
import { FAULT_TABLE } from './fault-table.ts';

export function parseFault(raw: unknown): Parsed<Fault> {
  if (!isObject(raw)) return notParsed('', 'an object with a name', raw);
  const { name, ...given } = raw;
  if (typeof name !== 'string' || !isFaultName(name)) {
    return notParsed('name', `one of ${Object.keys(FAULT_TABLE).join(', ')}`, name);
  }
  const [first, ...rest] = problemsOf(name, given);
  if (first !== undefined) return { ok: false, issues: [first, ...rest] };
  // Every parameter was looked at above.
  const fault: Fault = Object.assign(Object.create(null), raw);
  return parsed(fault);
}

function problemsOf(name: FaultName, given: Readonly<Record<string, unknown>>): Issue[] {
  const { parameters } = FAULT_TABLE[name];
  const issues: Issue[] = [];
  for (const [path, value] of Object.entries(given)) {
    const parameter = Object.hasOwn(parameters, path) ? parameters[path] : undefined;
    const expected = parameter?.expected ?? `no such parameter of ${name}`;
    if (parameter?.accepts(value) !== true) issues.push({ path, expected, received: shown(value) });
  }
  for (const [path, { required, expected }] of Object.entries(parameters)) {
    if (required && !(path in given)) issues.push({ path, expected, received: shown(undefined) });
  }
  return issues;
}

const isObject = (raw: unknown): raw is Record<string, unknown> =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw);

const isFaultName = (name: string): name is FaultName => Object.hasOwn(FAULT_TABLE, name);
