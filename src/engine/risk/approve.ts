/** The only place that mints what may leave the house (house rule 6). Nothing outside this folder imports it. */
import type {
  ApprovedCancel,
  ApprovedCondition,
  ApprovedConditionCancel,
  ApprovedModify,
  ApprovedOrder,
  ApprovedTriggerMove,
  CancelToSend,
  ConditionCancelToSend,
  ConditionToSend,
  ModifyToSend,
  OrderToSend,
  TriggerMoveToSend,
} from '../ports/approved.ts';

/* oxlint-disable typescript/no-unsafe-type-assertion -- the one assertion point of approvals: the guard has just checked */
export const approveOrder = (order: OrderToSend): ApprovedOrder => order as ApprovedOrder;
export const approveModify = (modify: ModifyToSend): ApprovedModify => modify as ApprovedModify;
export const approveCancel = (cancel: CancelToSend): ApprovedCancel => cancel as ApprovedCancel;
export const approveCondition = (order: ConditionToSend): ApprovedCondition => order as ApprovedCondition;
export const approveMove = (move: TriggerMoveToSend): ApprovedTriggerMove => move as ApprovedTriggerMove;
export const approveConditionCancel = (cancel: ConditionCancelToSend): ApprovedConditionCancel =>
  cancel as ApprovedConditionCancel;
