/** A paper configuration that trades all the time: a cross of the last bars, once a second. */
export const BUSY_CONFIG = `
mode: paper
state: $STATE
market: vn30f.yaml
simulator: { seed: 7, speed: 6 }
broker: { requestsPerSecond: 50 }
risk: { ordersPerSecondMax: 50, ordersPerMinuteMax: 3000, dailyLossMax: 2000000000, accountAgeMax: 5m, dataAgeMax: 60s }
poll: { bookFast: 200ms, positions: 2s, account: 2s }
lookUp: { scans: 3, spread: 1s }
strategies:
  - id: busy
    strategy: ema-cross
    symbols: [VN30F1M]
    overnight: true
    risk: { positionMax: 4, dailyLossMax: 2000000000, openOrdersMax: 4 }
    params: { barSeconds: 1, fast: 1, slow: 2, restSeconds: 1, repriceSeconds: 0.5 }
`;
