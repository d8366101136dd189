/** Users of the portal. */
import Joi from 'joi';
import { enqueueMail } from '../mail/enqueue-mail';
import { getMerchantOrThrow } from '../merchants/merchants';
import { languages, type Language } from '../portal/format';
import { invitationMail, linkOf, userMail, mailDecidersOf } from '../portal/mails';
import type { Transaction } from '../store/database';
import type { UserRow } from '../store/tables';
import { inTransaction } from '../store/transaction';
import { rejectRequestsOf } from '../users/approvals';
import { endedDetails, UserError } from '../users/requests';
import { invite, type Invitation, type Invited } from '../users/invite';
import { createOperator, findActive, roles, type Operator, type Role } from '../users/operators';
import { merchantRoles, type MerchantRole } from '../users/roles';
import { removeSecondFactor } from '../users/second-factor';
import { endOtherSessions } from '../users/sessions';
import { endUser, findUser, linkOperator } from '../users/users';
import { defineAction, type ActionScope } from './action';
import { ActionError } from './errors';
import { id, readBy } from './fields';
import { ownerMail } from './mails';
import { oneOf } from './read';

interface OfUser {
  /** The audit log does not store the address: fields with this name are redacted. */
  email: string;
}

interface MemberInput extends OfUser {
  merchant_id: string;
  role: MerchantRole;
  /** The language of the mail and of the user's pages; `en` by default. */
  language?: Language;
}

interface OperatorInput extends OfUser {
  operator: string;
  /** The role of the existing or new operator. */
  operator_role: Role;
  /** The operator exists already; otherwise the action adds one. */
  is_there?: boolean;
  language?: Language;
}

interface InvitedUser extends OfUser {
  /** Opens the invitation; shown only once. */
  link: string;
  /** False if no mail server is configured: then the operator gives the link to the user. */
  mailed: boolean;
}

export interface InvitedMember extends InvitedUser {
  merchant_id: string;
  role: MerchantRole;
}

export interface InvitedOperator extends InvitedUser {
  operator: string;
  /** The token of a new operator; shown only once. */
  operator_token?: string;
}

const email = Joi.string().allow('').max(400).required();
const language = readBy(oneOf(languages, 'The language'));
const ofUser = Joi.object<OfUser>({ email });

const about = (user: Pick<UserRow, 'user_id'>) => ({ subject: { kind: 'user', id: user.user_id } });

/** What refuses people refuses the action. */
async function asActionError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UserError ? new ActionError(error.message) : error;
  }
}

async function getUser({ context }: ActionScope, address: string): Promise<UserRow> {
  const user = await findUser(context.db, address);
  if (!user) throw new ActionError('There is no user with this address.');
  return user;
}

/** Invites in the caller's transaction, and mails the link if a mail server is set. */
function inviting(
  { url, sendsMail }: { url: string; sendsMail: boolean },
  invitation: Invitation,
  merchantName?: string,
): (trx: Transaction) => Promise<Invited> {
  return (trx) =>
    invite(trx, invitation, ({ user, token }) =>
      sendsMail ? invitationMail(url, user, { token, merchantName }) : undefined,
    );
}

/** @throws ActionError if the operator has changed since the request, so that the approved action would be another one. */
function denyAnotherRole(
  there: Operator | undefined,
  { operator: name, operator_role: role, is_there: isThere = false }: OperatorInput,
): void {
  if (there && !isThere) throw new ActionError(`${name} was added in the meantime. Request it again.`);
  if (!there && isThere) throw new ActionError(`The operator ${name} is no longer active.`);
  if (there && there.role !== role) throw new ActionError(`${name} has the role ${there.role}, not ${role}.`);
}

/** @returns the invited user, and the token if an operator was added. */
async function inviteOperator(
  { context, acting, config }: ActionScope,
  invited: (trx: Transaction) => Promise<Invited>,
  input: OperatorInput,
): Promise<Invited & { operatorToken: string | undefined }> {
  const { operator: name, operator_role: role } = input;
  const seen: { made?: Invited } = {};
  const linked = async (trx: Transaction) => {
    seen.made = await invited(trx);
    await linkOperator(trx, seen.made.user.user_id, name);
    await acting.record(trx, about(seen.made.user));
  };
  const there = await findActive(context.db, name);
  denyAnotherRole(there, input);
  const operatorToken = await asActionError(() =>
    there
      ? inTransaction(context.db, linked).then(() => undefined)
      : createOperator(context.db, { name, role, by: acting.by, environment: config.environment }, linked),
  );
  if (!seen.made) throw new Error('nobody was invited');
  return { ...seen.made, operatorToken };
}

const common = { version: 1, right: 'act', writes: 'database' } as const;

export const userActions = {
  'user.create': defineAction<MemberInput, InvitedMember>({
    ...common,
    /** The owner of a merchant can make its keys. */
    approval: 'keys',
    schema: Joi.object<MemberInput>({
      email,
      merchant_id: id.required(),
      role: readBy(oneOf(merchantRoles, 'The role')).required(),
      language,
    }),
    phrase: {
      en: 'invite {email} to the portal as {role} of {merchant}',
      sw: 'kumruhusu {email} kuingia kwenye tovuti kama {role} wa {merchant}',
    },
    async run(scope, { email: address, merchant_id: merchantId, role, language: locale = 'en' }) {
      const { context, acting } = scope;
      const portal = scope.portal();
      const { merchant_id: storedId, name } = await getMerchantOrThrow(context.db, merchantId);
      const member = { merchantId: storedId, role };
      const invited = inviting(portal, { email: address, locale, by: acting.by, member }, name);
      const { token } = await asActionError(() =>
        inTransaction(context.db, async (trx) => {
          const made = await invited(trx);
          const change = { what: 'member_invited', values: { email: address, role } } as const;
          await mailDecidersOf(trx, ownerMail(scope, storedId), change);
          await acting.record(trx, about(made.user));
          return made;
        }),
      );
      return {
        ...{ email: address, merchant_id: storedId, role },
        link: linkOf(portal.url, 'invitation', token),
        mailed: portal.sendsMail,
      };
    },
  }),

  'user.create-operator': defineAction<OperatorInput, InvitedOperator>({
    ...common,
    version: 2,
    approval: 'operators',
    schema: Joi.object<OperatorInput>({
      email,
      operator: Joi.string().allow('').max(160).required(),
      operator_role: readBy(oneOf(roles, 'The role')).required(),
      is_there: Joi.boolean().valid(true),
      language,
    }),
    phrase: ({ is_there: isThere }) =>
      isThere
        ? {
            en: 'give {email} a login as the existing operator {operator}, with the role {operator_role}',
            sw: 'kumpa {email} akaunti ya kuingia kama {operator}, ambaye tayari yupo kwa wadhifa wa {operator_role}',
          }
        : {
            en: 'add the operator {operator} with the role {operator_role}, and give {email} a login',
            sw: 'kumwongeza mwendeshaji {operator} kwa wadhifa wa {operator_role}, na kumpa {email} akaunti ya kuingia',
          },
    async run(scope, input) {
      const { email: address, operator, language: locale = 'en' } = input;
      const portal = scope.portal();
      const invited = inviting(portal, { email: address, locale, by: scope.acting.by });
      const { token, operatorToken } = await inviteOperator(scope, invited, input);
      return {
        ...{ email: address, operator },
        link: linkOf(portal.url, 'invitation', token),
        ...(operatorToken !== undefined && { operator_token: operatorToken }),
        mailed: portal.sendsMail,
      };
    },
  }),

  'user.reset-second-factor': defineAction<OfUser, OfUser & { reset: true }>({
    ...common,
    approval: 'keys',
    schema: ofUser,
    phrase: {
      en: 'remove the second factor of {email}',
      sw: 'kuondoa uthibitisho wa pili wa {email}',
    },
    async run(scope, { email: address }) {
      const { context, acting } = scope;
      const user = await getUser(scope, address);
      const { url, sendsMail } = scope.portal();
      await inTransaction(context.db, async (trx) => {
        await removeSecondFactor(trx, user.user_id);
        if (sendsMail) await enqueueMail(trx, userMail(url, user, 'second_off'));
        await acting.record(trx, about(user));
      });
      return { email: user.email, reset: true };
    },
  }),

  'user.sign-out': defineAction<OfUser, OfUser & { sessions_ended: number }>({
    ...common,
    approval: 'never',
    schema: ofUser,
    phrase: {
      en: 'sign {email} out of the portal everywhere',
      sw: 'kumwondoa {email} kwenye tovuti kila mahali',
    },
    async run(scope, { email: address }) {
      const user = await getUser(scope, address);
      const ended = await inTransaction(scope.context.db, async (trx) => {
        const n = await endOtherSessions(trx, user.user_id, undefined);
        await scope.acting.record(trx, { ...about(user), details: { ended: n } });
        return n;
      });
      return { email: user.email, sessions_ended: ended };
    },
  }),

  'user.end': defineAction<OfUser, OfUser & { ended: true }>({
    ...common,
    approval: 'operators',
    schema: ofUser,
    phrase: {
      en: 'close the account of {email} permanently',
      sw: 'kufunga akaunti ya {email} kabisa',
    },
    async run(scope, { email: address }) {
      const { context, acting } = scope;
      const user = await getUser(scope, address);
      await inTransaction(context.db, async (trx) => {
        const left = await endUser(trx, user.user_id);
        const reason = 'the account of the requesting operator was closed';
        const rejected =
          user.operator_name === null || user.operator_name === acting.by
            ? []
            : await rejectRequestsOf(trx, user.operator_name, { by: acting.by, reason });
        for (const { merchantId, role, ...ended } of left) {
          const change = { what: 'member_ended', values: { email: user.email, role }, ended } as const;
          await mailDecidersOf(trx, ownerMail(scope, merchantId), change);
        }
        const ended = left.map((one) => ({
          ...{ merchant_id: one.merchantId, role: one.role },
          ...endedDetails(one),
        }));
        await acting.record(trx, {
          ...about(user),
          details: { ended, ...(rejected.length > 0 && { rejected }) },
          // Closing the account of an approver is as sensitive as an approval rule: one operator must not do it alone.
          second: user.operator_name === null ? 'never' : 'by_rule',
        });
      });
      return { email: user.email, ended: true };
    },
  }),
};
