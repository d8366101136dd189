import { step } from '../telemetry/tracing/scope';
import type { PaymentRow } from '../store/tables';
import type { Engine } from './engine';

/** The same engine, each call of which is a step of its payment's trace. */
export function tracedEngine(engine: Engine): Engine {
  const asked = <T>(call: string, work: () => Promise<T>, payment?: PaymentRow): Promise<T> =>
    step(
      {
        name: `engine ${call}`,
        kind: 'client',
        attributes: { 'malipo.peer': 'engine', 'malipo.call': call, 'malipo.rail': payment?.rail },
        ...(payment && { paymentId: payment.payment_id }),
      },
      work,
    );
  return {
    ...engine,
    start: (payment) => asked('start', () => engine.start(payment), payment),
    wake: (payment) => asked('wake', () => engine.wake(payment), payment),
    nudge: (workflowId) => asked('nudge', () => engine.nudge(workflowId)),
    hasten: (payment) => asked('hasten', () => engine.hasten(payment), payment),
    cancel: (payment) => asked('cancel', () => engine.cancel(payment), payment),
    look: (payment) => asked('look', () => engine.look(payment), payment),
  };
}
