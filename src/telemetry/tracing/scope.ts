/**
 * What a process does for a payment, as spans of the payment's trace. A scope is one call of a merchant or a provider, or
 * one activity: whose payment it is about is often known only in the middle of it (`about`). Where nobody has opened a
 * scope, as when traces are off, `step` and the others do nothing.
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

/** Where spans go. Neither waits nor throws. */
export interface Sink {
  isSampled(traceId: string): boolean;
  take(span: Span): void;
}

export interface Step {
  name: string;
  kind: Span['kind'];
  attributes?: Attributes;
  links?: readonly SpanRef[];
  /** Where it is known from the beginning. */
  paymentId?: string;
}

/** A step that is being done. */
export interface OpenStep {
  /** Of what is known by now; the later one stands. */
  note(more: { name?: string; attributes?: Attributes; hasFailed?: boolean }): void;
  /** For a header: what the receiver does hangs below this step. Undefined where no payment is known. */
  traceparent(): string | undefined;
}

export interface Scopes {
  /** @param work ends the step itself, once. */
  open(step: Step, work: (open: OpenStep & { end(): void }) => void): void;
  /** The step ends as the work does; where it throws, it has failed. */
  run<T>(step: Step, work: (open: OpenStep) => Promise<T>): Promise<T>;
  /** Rounds about many payments: no step of its own. */
  background<T>(work: () => T): T;
}

/** A payment that has entered a state, as the transaction tells that did it. */
export interface Entered {
  paymentId: string;
  attributes: Attributes;
  /** Given where it has ended: when it began, by the wall clock, and the deposit that it gives back. */
  ended?: { begunMs: number; links: readonly SpanRef[] };
}

interface Scope {
  sink: Sink;
  parent?: Scope;
  /** Absent for what is no step: background work, or a transaction. */
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

/** One step of what is under way. Where nothing is traced the work is done, and that is all. */
export function step<T>(what: Step, work: (open?: OpenStep) => Promise<T>): Promise<T> {
  const scope = storage.getStore();
  if (!scope) return work();
  if (what.paymentId !== undefined) about(what.paymentId);
  return within(scope.sink, what, work);
}

/** Says which payment the work under way is about; the first that is named stands. */
export function about(paymentId: string): void {
  for (let scope = storage.getStore(); scope; scope = scope.parent) {
    if (scope.spanId !== undefined) scope.paymentId ??= paymentId;
  }
}

/** Adds to the step under way. */
export function note(attributes: Attributes): void {
  storage.getStore()?.step?.note({ attributes });
}

/** Goes on with what is no part of the step under way: it is about other payments, and goes on after it. */
export function apart<T>(work: () => T): T {
  const scope = storage.getStore();
  return scope ? storage.run({ sink: scope.sink }, work) : work();
}

/**
 * A transaction: the payments that `entered` names in it have moved once it has resolved, which is one span for each of
 * them. One that was rolled back has moved nothing, and is not told.
 */
export async function transaction<T>(work: () => Promise<T>): Promise<T> {
  const parent = storage.getStore();
  if (!parent) return work();
  const fromMs = now();
  const moves: Entered[] = [];
  const result = await storage.run({ sink: parent.sink, parent, entered: moves }, work);
  const toMs = now();
  for (const { paymentId, attributes, ended } of moves) {
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

/** To be called in a transaction that moves a payment. */
export function entered(move: () => Entered): void {
  storage.getStore()?.entered?.push(move());
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
  const told = { name: what.name, attributes: { ...what.attributes }, hasFailed: false };
  const fromMs = now();
  const spanId = newSpanId();
  const scope = {
    sink,
    spanId,
    ...(parent && { parent }),
    ...(paymentId !== undefined && { paymentId }),
    step: {
      note({ attributes, ...more }: Parameters<OpenStep['note']>[0]) {
        Object.assign(told, more);
        Object.assign(told.attributes, attributes);
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
      write(sink, known, { ...told, ...place, kind, fromMs, toMs: now(), links });
    },
  };
}

/** Of the nearest step that knows it. */
function paymentOf(scope: Scope | undefined): string | undefined {
  for (let at = scope; at; at = at.parent) if (at.paymentId !== undefined) return at.paymentId;
  return undefined;
}

/** A place in the payment's trace: below the step under way if that is about it, too, and else below the payment itself. */
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

/** The wall clock, finer than it is, and as steady as it is: a machine that slept, or whose clock was set, begins anew. */
function now(): number {
  const [wall, fine] = [Date.now(), performance.now()];
  if (Math.abs(wall - (fine + aheadMs)) > 20) aheadMs = wall - fine;
  return fine + aheadMs;
}

// A payment has one trace. Its id is made of the payment's own, so that every process that knows the payment writes into
// the same trace, and nothing has to be handed on through Temporal, a provider or the database.

/** Lower-case hexadecimal, as W3C Trace Context has them. */
interface SpanRef {
  /** 32 digits. */
  traceId: string;
  /** 16 digits. */
  spanId: string;
}

/** Never changes: processes of two versions write into one trace. */
const salt = 'malipo trace 1 ';

/** The span of the payment itself, from when it was taken to when it ended: what all others hang below. */
export function rootOf(paymentId: string): SpanRef {
  const digest = createHash('sha256').update(salt).update(paymentId).digest('hex');
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) };
}

function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

/** What a header `traceparent` says, in any version of it; undefined for what is none. */
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
