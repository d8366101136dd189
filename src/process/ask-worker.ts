import type { Client } from '@temporalio/client';
import { v4 as uuid } from 'uuid';
import type { Log } from '../domain/log';
import {
  questionContext,
  type AskWorker,
  type ProviderQuestion,
  type EncryptedAnswer,
  type EncryptedQuestion,
} from '../domain/provider-questions';
import type { SecretBox } from '../merchants/secrets';

/** How long a user waits: longer than the provider may take for a lookup, and than a statement usually takes. */
const timeoutMsOf: Record<ProviderQuestion['kind'], number> = { rail: 6_000, statement: 10 * 60_000 };

interface Asking {
  client: Client;
  taskQueue: string;
  box: SecretBox;
  log: Log;
}

/** Asks the workers by a workflow, for a process without the keys of the providers. */
export function askWorkerBy({ client, taskQueue, box, log }: Asking): AskWorker {
  return async (question) => {
    const timeoutMs = timeoutMsOf[question.kind];
    const { rail } = question;
    const encrypted = box.encrypt(JSON.stringify(question), questionContext);
    const asked: EncryptedQuestion = { rail, encrypted, timeoutMs };
    try {
      const answered = await client.withDeadline(
        Date.now() + timeoutMs,
        () =>
          client.workflow.execute('providerQuestion', {
            ...{ taskQueue, workflowId: `providerQuestion/${uuid()}`, args: [asked] },
            ...{
              workflowExecutionTimeout: timeoutMs,
              staticSummary: `a question about ${rail}, by the portal`,
            },
          }) as Promise<EncryptedAnswer>,
      );
      const { answer } = JSON.parse(box.open(answered.encrypted, questionContext)) as { answer?: unknown };
      return answer;
    } catch (error) {
      log.warn('no worker has answered a question about a provider', { rail, kind: question.kind, error });
      return undefined;
    }
  };
}
