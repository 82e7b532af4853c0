import { seconds } from '../../../src/domain/units.ts';
import type { HttpTimeouts } from '../../../src/broker/rest/http-edge.ts';

export const USUAL_TIMEOUTS: HttpTimeouts = {
  connect: seconds(5),
  headers: seconds(10),
  body: seconds(10),
  total: seconds(15),
};
