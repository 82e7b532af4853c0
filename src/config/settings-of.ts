import type { EngineSettings } from '../domain/settings.ts';
import type { ConfigFile } from './config-schema.ts';

type EngineSections = Pick<
  ConfigFile,
  'risk' | 'strategies' | 'flatten' | 'stop' | 'poll' | 'lookUp' | 'session'
>;

/** The engine's part of the main file, in the engine's words. */
export function engineSettingsOf({ risk, strategies, ...file }: EngineSections): EngineSettings {
  return {
    risk: {
      orderQtyMax: risk.orderQtyMax,
      collarBps: risk.collarPercent,
      accountPositionMax: risk.positionMax,
      openOrdersMax: risk.openOrdersMax,
      ordersPerSecondMax: risk.ordersPerSecondMax,
      ordersPerMinuteMax: risk.ordersPerMinuteMax,
      dataAgeMax: risk.dataAgeMax,
      accountDailyLossMax: risk.dailyLossMax,
      accountAgeMax: risk.accountAgeMax,
      marginUseBps: risk.marginUsePercent,
      sameRejectionsMax: risk.sameRejectionsMax,
      clockSkewMax: risk.clockSkewMax,
      auctionEntries: risk.auctionEntries,
    },
    strategies: strategies.map(({ id, symbols, overnight, onExpiry, risk: limits }) => ({
      id,
      symbols,
      overnight,
      onExpiry,
      risk: limits,
    })),
    flatten: file.flatten,
    stop: file.stop,
    poll: file.poll,
    lookUp: file.lookUp,
    cancelBeforeAuction: file.session.cancelBeforeAuction,
    flatBeforeClose: file.session.flatBeforeClose,
  };
}
