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

export const impatient: Pick<ConnectionOptions, 'interceptors' | 'channelArgs'> = {
  interceptors: [makeGrpcRetryInterceptor(callRetries)],
  channelArgs: reconnecting,
};
