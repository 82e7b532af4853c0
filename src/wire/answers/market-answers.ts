/** What is written of contracts and prices (contract, 2.5 and 4.4; further keys from the notes, section 6). */
import { z } from 'zod';
import { dateText, number, points, symbol, text, vnd, whole } from './fields.ts';

export const quoteRow = z.strictObject({
  symbol,
  ceilPrice: points('Ceiling.'),
  floorPrice: points('Floor.'),
  refPrice: points('Reference, two decimals.'),
  bidPrice01: points('Best bid; 0 when there is none.'),
  bidQtty01: whole('Contracts there.'),
  bidPrice02: points('Second bid.'),
  bidQtty02: whole('Contracts there.'),
  bidPrice03: points('Third bid.'),
  bidQtty03: whole('Contracts there.'),
  offerPrice01: points('Best offer; 0 when there is none.'),
  offerQtty01: whole('Contracts there.'),
  offerPrice02: points('Second offer.'),
  offerQtty02: whole('Contracts there.'),
  offerPrice03: points('Third offer.'),
  offerQtty03: whole('Contracts there.'),
  matchPrice: points('Last match; 0 before the first.'),
  matchQtty: whole('Contracts of it.'),
  change: points('Against the reference, two decimals.'),
  changePercent: number('The same, percent.'),
  totalVol: whole('Contracts traded today.'),
  openVol: whole('Open interest.'),
  expiryDate: dateText('Last trading day.'),
  open: points('First price of the day.'),
  high: points('Highest.'),
  low: points('Lowest.'),
  avg: vnd('Average of a contract, in VND and not in points.'),
  buyForeignQtty: whole('Bought by foreigners.'),
  sellForeignQtty: whole('Sold by foreigners.'),
});

export const derivativesAnswer = z.strictObject({ data: z.array(quoteRow) });

/** The shape is ours: the contract does not show one. */
export const contractListAnswer = z.strictObject({
  data: z.array(
    z.strictObject({
      symbol: text("The stream's code, which changes at rollover."),
      expiryDate: dateText('Last trading day.'),
      frontMonth: z.boolean(),
    }),
  ),
});
