/**
 * The spans of a payment's trace that one process creates. A scope is one call of a merchant or a provider, or one
 * activity. Its payment is often known only later (`about`). Without an open scope, as when tracing is off, `step` and
 * the others do nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomBytes } from 'node:crypto';
import type { Attributes } from './exporter';

export interface Span extends SpanRef {
  name: string;
  kind: 'server' | 'client' | 'internal';
  parentSpanId?: string;
  /** Milliseconds since 1970, with fractions. */
  fromMs: number;
  toMs: number;
  hasFailed: boolean;
  attributes: Attributes;
  links: readonly SpanRef[];
}

/** Receives the spans. It neither waits nor throws. */
export interface Sink {
  isSampled(traceId: string): boolean;
  take(span: Span): void;
}

export interface Step {
  name: string;
  kind: Span['kind'];
  attributes?: Attributes;
  links?: readonly SpanRef[];
  /** Set if it is known from the beginning. */
  paymentId?: string;
}

/** A step in progress. */
export interface OpenStep {
  /** Adds what is known by now; later values replace earlier ones. */
  note(more: { name?: string; attributes?: Attributes; hasFailed?: boolean }): void;
  /** For a header: the receiver's spans become children of this step. Undefined if no payment is known. */
  traceparent(): string | undefined;
}

export interface Scopes {
  /** @param work ends the step itself, exactly once. */
  open(step: Step, work: (open: OpenStep & { end(): void }) => void): void;
  /** The step ends with the work. If the work throws, the step has failed. */
  run<T>(step: Step, work: (open: OpenStep) => Promise<T>): Promise<T>;
  /** For jobs about many payments: without a step of its own. */
  background<T>(work: () => T): T;
}

/** A payment's transition, as its transaction reports it. */
export interface Entered {
  paymentId: string;
  attributes: Attributes;
  /** Set for a final state: when the payment began, by the wall clock, and the deposit that it refunds. */
  ended?: { begunMs: number; links: readonly SpanRef[] };
}

interface Scope {
  sink: Sink;
  parent?: Scope;
  /** Absent for background work and transactions, which are no steps. */
  spanId?: string;
  paymentId?: string;
  step?: OpenStep;
  entered?: Entered[];
}

const storage = new AsyncLocalStorage<Scope>();

export function createScopes(sink: Sink): Scopes {
  return {
    open(step, work) {
      const { scope, end } = begin(sink, step);
      storage.run(scope, () => {
        work({ ...scope.step, end });
      });
    },
    run: (step, work) => within(sink, step, work),
    background: (work) => storage.run({ sink }, work),
  };
}

/** Runs one step of the current scope. Without tracing it only runs the work. */
export function step<T>(what: Step, work: (open?: OpenStep) => Promise<T>): Promise<T> {
  const scope = storage.getStore();
  if (!scope) return work();
  if (what.paymentId !== undefined) about(what.paymentId);
  return within(scope.sink, what, work);
}

/** Sets the payment of the current scope. The first payment stays. */
export function about(paymentId: string): void {
  for (let scope = storage.getStore(); scope; scope = scope.parent) {
    if (scope.spanId !== undefined) scope.paymentId ??= paymentId;
  }
}

/** Adds to the current step. */
export function note(attributes: Attributes): void {
  storage.getStore()?.step?.note({ attributes });
}

/** Runs work outside the current step: it is about other payments, and continues after the step. */
export function apart<T>(work: () => T): T {
  const scope = storage.getStore();
  return scope ? storage.run({ sink: scope.sink }, work) : work();
}

/**
 * Runs a transaction. After it resolves, each payment that `entered` named in it gets one span. A transaction that was
 * rolled back creates no span.
 */
export async function transaction<T>(work: () => Promise<T>): Promise<T> {
  const parent = storage.getStore();
  if (!parent) return work();
  const fromMs = now();
  const transitions: Entered[] = [];
  const result = await storage.run({ sink: parent.sink, parent, entered: transitions }, work);
  const toMs = now();
  for (const { paymentId, attributes, ended } of transitions) {
    const { sink } = parent;
    const span = { kind: 'internal', fromMs, toMs, hasFailed: false, attributes, links: [] } as const;
    const name = `enter ${String(attributes['malipo.state'])}`;
    write(sink, paymentId, { ...span, name, ...childOf(parent, paymentId) });
    if (ended) {
      const { begunMs, links } = ended;
      const own = { name: `payment ${String(attributes['malipo.operation'])}`, ...rootOf(paymentId) };
      write(sink, paymentId, { ...span, ...own, fromMs: Math.min(begunMs, fromMs), links });
    }
  }
  return result;
}

/** Call this in a transaction that changes a payment's state. */
export function entered(transition: () => Entered): void {
  storage.getStore()?.entered?.push(transition());
}

async function within<T>(sink: Sink, what: Step, work: (open: OpenStep) => Promise<T>): Promise<T> {
  const { scope, end } = begin(sink, what);
  try {
    return await storage.run(scope, () => work(scope.step));
  } catch (error) {
    scope.step.note({ hasFailed: true });
    throw error;
  } finally {
    end();
  }
}

function begin(sink: Sink, what: Step): { scope: Scope & { step: OpenStep }; end(): void } {
  const parent = storage.getStore();
  const { kind, links = [], paymentId } = what;
  const reported = { name: what.name, attributes: { ...what.attributes }, hasFailed: false };
  const fromMs = now();
  const spanId = newSpanId();
  const scope = {
    sink,
    spanId,
    ...(parent && { parent }),
    ...(paymentId !== undefined && { paymentId }),
    step: {
      note({ attributes, ...more }: Parameters<OpenStep['note']>[0]) {
        Object.assign(reported, more);
        Object.assign(reported.attributes, attributes);
      },
      traceparent() {
        const known = paymentOf(scope);
        if (known === undefined) return undefined;
        const { traceId } = rootOf(known);
        return writeTraceparent({ traceId, spanId }, sink.isSampled(traceId));
      },
    },
  } as Scope & { step: OpenStep };
  return {
    scope,
    end() {
      const known = paymentOf(scope);
      if (known === undefined) return;
      const place = { ...childOf(parent, known), spanId };
      write(sink, known, { ...reported, ...place, kind, fromMs, toMs: now(), links });
    },
  };
}

/** @returns the payment of the nearest step that knows it. */
function paymentOf(scope: Scope | undefined): string | undefined {
  for (let at = scope; at; at = at.parent) if (at.paymentId !== undefined) return at.paymentId;
  return undefined;
}

/**
 * A place in the payment's trace: below the current step if that is about the same payment, otherwise below the
 * payment.
 */
function childOf(scope: Scope | undefined, paymentId: string): SpanRef & { parentSpanId: string } {
  const { traceId, spanId: root } = rootOf(paymentId);
  let at = scope;
  while (at && (at.spanId === undefined || paymentOf(at) !== paymentId)) at = at.parent;
  return { traceId, spanId: newSpanId(), parentSpanId: at?.spanId ?? root };
}

function write(sink: Sink, paymentId: string, span: Span): void {
  if (!sink.isSampled(span.traceId)) return;
  sink.take({ ...span, attributes: { ...span.attributes, 'malipo.payment.id': paymentId } });
}

let aheadMs = Date.now() - performance.now();

/** The wall clock with a monotonic clock's precision. It restarts after the machine slept or its clock was set. */
function now(): number {
  const [wall, fine] = [Date.now(), performance.now()];
  if (Math.abs(wall - (fine + aheadMs)) > 20) aheadMs = wall - fine;
  return fine + aheadMs;
}

// A payment has one trace. The trace id is derived from the payment's id, so every process that knows the payment
// writes to the same trace. Nothing needs to be passed through Temporal, a provider or the database.

/** Lower-case hexadecimal, as W3C Trace Context requires. */
interface SpanRef {
  /** 32 digits. */
  traceId: string;
  /** 16 digits. */
  spanId: string;
}

/** Must never change: processes of two versions write to one trace. */
const salt = 'malipo trace 1 ';

/** The span of the payment itself, from its creation to its end: the parent of all others. */
export function rootOf(paymentId: string): SpanRef {
  const digest = createHash('sha256').update(salt).update(paymentId).digest('hex');
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) };
}

function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

/** @returns the content of a `traceparent` header of any version; undefined if it is invalid. */
export function readTraceparent(header: unknown): SpanRef | undefined {
  if (typeof header !== 'string' || header.length > 128) return undefined;
  const [, traceId = '', spanId = ''] = traceparent.exec(header) ?? [];
  return hasDigits(traceId) && hasDigits(spanId) ? { traceId, spanId } : undefined;
}

const traceparent = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(?:-|$)/;

const hasDigits = (id: string) => /[^0]/.test(id);

export function writeTraceparent({ traceId, spanId }: SpanRef, isSampled: boolean): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
