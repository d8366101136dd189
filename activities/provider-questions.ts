import { PaymentError } from '../src/domain/errors';
import {
  questionContext,
  type ProviderQuestion,
  type QuestionActivities,
} from '../src/domain/provider-questions';
import type { SecretBox } from '../src/merchants/secrets';
import type { PaymentsContext } from '../src/rail-kit/context';
import { bringStatement, type BroughtStatement } from '../src/reconciliation/statement-source';

interface QuestionDependencies {
  context: PaymentsContext;
  box: SecretBox;
  /** Aborted when the worker begins to stop. */
  stopping: AbortSignal;
}

/** Answers the portal's questions with the keys of this process. */
export function createQuestionActivities({
  context: { db, rails },
  box,
  stopping,
}: QuestionDependencies): QuestionActivities {
  async function statementOf(
    asked: Extract<ProviderQuestion, { kind: 'statement' }>,
  ): Promise<BroughtStatement> {
    const { statement: format, statementSource: source } = rails.get(asked.rail);
    if (!format || !source) return { kind: 'refused', text: 'the rail has no statements' };
    if ('missing' in source) return { kind: 'refused', text: source.missing };
    const period = { from: new Date(asked.from), to: new Date(asked.to) };
    return bringStatement(db, format, source, period, { alive: () => undefined, signal: stopping });
  }

  return {
    async answerQuestion({ encrypted }) {
      const question = JSON.parse(box.open(encrypted, questionContext)) as ProviderQuestion;
      const answer =
        question.kind === 'statement'
          ? await statementOf(question)
          : await rails.get(question.rail).answer?.(question.about).catch(noneOf);
      return { encrypted: box.encrypt(JSON.stringify({ answer }), questionContext) };
    },
  };
}

/** A provider that does not answer is no fault of ours: the portal says what it says without an answer. */
function noneOf(error: unknown): undefined {
  if (!(error instanceof PaymentError)) throw error;
}
