/** What the engine and the procedures of its session set to work. */
import type { EngineOptions } from './engine-core.ts';
import { EngineView } from './engine-view.ts';
import { DayEnd } from './orders/order-life.ts';
import { FillSteps } from './orders/fill-steps.ts';
import { OrderExecutor } from './orders/order-executor.ts';
import { Adoption, OrderReconciler } from './orders/order-reconciler.ts';
import { RowReader } from './orders/row-reader.ts';
import { ExitCover } from './orders/withdrawal.ts';
import { MoneyReconciler } from './positions/money-reconciler.ts';
import { JournalDecisions, LiveDecisions } from './replay/decisions.ts';
import type { Guard } from './risk/risk-guard.ts';
import { TargetExecutor } from './session/target-executor.ts';
import { Polls } from './session/polls.ts';
import { Plots } from './session/strategy-registry.ts';
import { StrategyStopper } from './session/strategy-stopper.ts';
import { ClientOrderIds } from './state/client-order-ids.ts';
import { IntentQueue } from './state/event-context.ts';

export type CreateGuard = (view: EngineView) => Guard;

export class EngineState extends EngineView {
  readonly ids = new ClientOrderIds();
  readonly plots;
  readonly queue;
  readonly targetExecutor;
  /** By strategy and contract: who covers a position that gets no stop for that, in words. */
  readonly coveredByOthers = new Map<string, string>();
  /** By strategy and contract: contracts that should have a stop at the broker now and have none. */
  readonly uncovered = new Map<string, number>();
  readonly present;
  readonly past;
  readonly executor;
  readonly fills;
  readonly adoption;
  readonly rows;
  readonly reconciler;
  readonly moneyReconciler;
  readonly stopper;
  readonly exitCover;
  readonly dayEnd;
  readonly polls;

  constructor(options: EngineOptions, createGuard: CreateGuard) {
    super(options);
    const { gateway, plots } = options.outbound;
    this.plots = new Plots(plots);
    this.queue = new IntentQueue(this.dueWork);
    this.targetExecutor = new TargetExecutor(this);
    const guard = createGuard(this);
    this.present = new LiveDecisions(this.ids, this.queue, guard);
    this.past = new JournalDecisions(this.ids, this.queue, guard, this.life);
    this.context.setDecisions(this.present);
    this.executor = new OrderExecutor(this, gateway, guard, this.past);
    this.fills = new FillSteps(this);
    this.adoption = new Adoption(this, this.ids);
    this.rows = new RowReader(this, this.fills, this.executor);
    this.reconciler = new OrderReconciler(this, this.rows, this.adoption);
    this.moneyReconciler = new MoneyReconciler(this, this.fills, this.adoption);
    this.stopper = new StrategyStopper(this);
    this.exitCover = new ExitCover(this);
    this.dayEnd = new DayEnd(this, this.life);
    this.polls = new Polls(this);
  }
}
