/** The price list and the stream's codes. */
import { contractList, derivatives } from '../../wire/rest/market-reads.ts';
import type { Brokerage } from '../brokerage/brokerage.ts';
import type { Readings } from '../simulator-options.ts';
import { ok, type RestOperation } from './rest-operation.ts';

export function marketOperations(
  brokerage: Brokerage,
  { contractList: style }: Readings,
): readonly RestOperation[] {
  return [
    {
      name: 'derivatives',
      method: derivatives.method,
      path: derivatives.path,
      open: false,
      handle: () => ok(derivatives.encodeResponse(brokerage.boards())),
    },
    {
      name: 'contracts',
      method: contractList.method,
      path: contractList.path,
      open: false,
      handle: () =>
        ok(
          contractList.encodeResponse(
            brokerage.boards().map(({ contract }, at) => ({
              code: contract.streamCode,
              expiry: contract.expiry,
              frontMonth: at === 0,
            })),
            style,
          ),
        ),
    },
  ];
}
