/** /control/stk: the buttons of the handset page, for scripts, and the account's reported balance. */
import express, { type Router } from 'express';
import { ControlError } from '../../control-error';
import { recordOf } from '../../fields';
import type { AccountBalance } from './account-balance';
import { personActions, type PersonAction, type Prompt, type Prompts } from './prompts';

export function stkControlRouter(prompts: Prompts, balance: AccountBalance): Router {
  const router = express.Router();
  router.post('/prompts/:id', (request, response) => {
    const action = (request.body as { action?: unknown } | undefined)?.action;
    const { id } = request.params;
    const prompt = action === 'pay_late' ? payLate(prompts, id) : decideWaiting(prompts, id, action);
    response.json({ success: true, checkout_request_id: prompt.checkoutRequestId, action });
  });
  router.post('/told', (request, response) => {
    const fields = recordOf(request.body);
    balance.lie(fields);
    response.json({ success: true, ...fields });
  });
  return router;
}

/** The network reports another result than before: the prompt was paid after all. */
function payLate(prompts: Prompts, id: string): Prompt {
  const prompt = promptOf(prompts, id);
  if (prompt.outcome === undefined || prompt.outcome === '0')
    throw new ControlError(409, `Prompt ${id} has not ended unpaid`);
  return prompts.decide(prompt, 'pay');
}

function promptOf(prompts: Prompts, id: string): Prompt {
  const prompt = prompts.find(id);
  if (!prompt) throw new ControlError(404, `There is no prompt ${id}`);
  return prompt;
}

/** @throws ControlError if there is nothing to decide. */
export function decideWaiting(prompts: Prompts, id: string, action: unknown): Prompt {
  if (!isPersonAction(action)) {
    throw new ControlError(400, `action must be one of: ${Object.keys(personActions).join(', ')}`);
  }
  const prompt = promptOf(prompts, id);
  if (prompt.waitsUntil === undefined)
    throw new ControlError(409, `Prompt ${id} is no longer waiting for a user`);
  return prompts.decide(prompt, action);
}

function isPersonAction(value: unknown): value is PersonAction {
  return typeof value === 'string' && Object.hasOwn(personActions, value);
}
