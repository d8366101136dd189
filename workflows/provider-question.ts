import { proxyActivities } from '@temporalio/workflow';
import type {
  QuestionActivities,
  EncryptedAnswer,
  EncryptedQuestion,
} from '../src/domain/provider-questions';

/** Answers one question of the portal, which has no key of a provider. Its user waits, and may ask again. */
export function providerQuestion(question: EncryptedQuestion): Promise<EncryptedAnswer> {
  const { answerQuestion } = proxyActivities<QuestionActivities>({
    startToCloseTimeout: question.timeoutMs,
    retry: { maximumAttempts: 1 },
  });
  return answerQuestion.executeWithOptions({ summary: `ask the provider of ${question.rail}` }, [question]);
}
