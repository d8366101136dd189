/** How a client's calls to Temporal are tried again: soon, since a merchant waits for most of them. */
import {
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type ConnectionOptions,
} from '@temporalio/client';

type RetryOptions = ReturnType<typeof defaultGrpcRetryOptions>;

/**
 * The most between two tries. The SDK's own pauses grow to 5 s, so that whoever comes while a service is restarted within
 * two seconds waits for seven.
 */
const pauseMaxMs = 1_000;
/** As long, all together, as the SDK's ten tries, some 20 s; who has a deadline stops there. */
const triesMax = 25;

/** RESOURCE_EXHAUSTED, as gRPC numbers it. */
const tooMuch = 8;

const usual = defaultGrpcRetryOptions({ maxAttempts: triesMax });

/** @public Looked at by a test. */
export const callRetries: RetryOptions = {
  ...usual,
  delayFunction(attempt, status) {
    const pauseMs = usual.delayFunction(attempt, status);
    // A server that says it has too much to do is not to be asked more often.
    const { code }: { code: number } = status;
    return code === tooMuch ? pauseMs : Math.min(pauseMaxMs, pauseMs);
  },
};

/** Of the connection below the calls: gRPC's own pauses grow to two minutes, in which every call fails at once. */
const reconnecting = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': pauseMaxMs,
};

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Interceptor>;
type Status = Parameters<RetryOptions['delayFunction']>[1];

/** CANCELLED, as gRPC numbers it: nothing that is tried again. */
const cancelled = 1;

/**
 * A try on a line that was closed meanwhile throws, and the try that a timer makes does so where nobody catches it: the
 * process would end for a call that nobody waits for any more. Such a try is answered here instead.
 */
const closedLine: Interceptor = (options, nextCall) => {
  try {
    return nextCall(options) as Call;
  } catch (error) {
    const status = { code: cancelled, details: String(error) } as unknown as Status;
    return answeredWith(status) as unknown as Call;
  }
};

function answeredWith(status: Status): Partial<Call> {
  const nothing = (): void => undefined;
  return {
    start(metadata, listener) {
      setImmediate(() => {
        listener?.onReceiveMessage?.(null);
        listener?.onReceiveStatus?.({ ...status, metadata });
      });
    },
    sendMessage: nothing,
    sendMessageWithContext: nothing,
    startRead: nothing,
    halfClose: nothing,
    cancelWithStatus: nothing,
    getPeer: () => '',
    getAuthContext: () => null,
  };
}

export const impatient: Pick<ConnectionOptions, 'interceptors' | 'channelArgs'> = {
  interceptors: [makeGrpcRetryInterceptor(callRetries), closedLine],
  channelArgs: reconnecting,
};
