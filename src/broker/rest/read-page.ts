/** One decoded page of a book; what could not be read is told of, because the walk is no evidence then. */
import { type Issue, type Parsed, parsed } from '../../domain/parsed.ts';
import { issueText } from '../../wire/rest/lenient.ts';
import type { RestCaller, Route } from './rest-caller.ts';
import type { Page } from './walk-pages.ts';

interface DecodedPage<Row> {
  readonly orders: readonly Row[];
  readonly unreadable: readonly Issue[];
}

export function readPage<Row>(
  operation: Route,
  caller: RestCaller,
  page: Parsed<DecodedPage<Row>>,
): Parsed<Page<Row>> {
  if (!page.ok) return page;
  const { orders, unreadable } = page.value;
  const [first] = unreadable;
  if (first !== undefined) caller.failed(operation, issueText([first]), false);
  return parsed({ rows: orders, unreadable: unreadable.length });
}
