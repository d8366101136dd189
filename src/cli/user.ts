import { Option, type Command } from 'commander';
import { getMerchantOrThrow } from '../merchants/merchants';
import { rejectAskedBy } from '../operators/approvals';
import { createOperator, findActive, roles, type Role } from '../operators/operators';
import { invite, type Invitation, type Invited } from '../people/invite';
import { PeopleRefusal } from '../people/refusal';
import { merchantRoles, type MerchantRole } from '../people/roles';
import { removeSecondFactor } from '../people/second-factor';
import { endOtherSessions } from '../people/sessions';
import { endUser, findUser, hasSecondFactor, linkOperator, listUsers } from '../people/users';
import { isLanguage, languages } from '../portal/language';
import { invitationMail, linkOf, noticeMail } from '../portal/mails';
import { tellDecidersOf } from '../portal/tell-deciders';
import { enqueueMail } from '../mail/enqueue-mail';
import { endedDetails } from '../people/asked';
import type { Transaction } from '../store/database';
import { inTransaction } from '../store/transaction';
import type { UserRow } from '../store/tables';
import { oneOf } from './parse';
import { Refusal, UsageError } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { facts, table } from './table';
import { tellingOf } from './telling';
import { clockOf } from './wall-clock';

export function userCommands(program: Command, run: Runner): void {
  const user = program.command('user').description('the people who work in the portal');
  user
    .command('create <email>')
    .description('invite a person; the link is mailed, and shown this once')
    .addOption(new Option('--merchant <merchant_id>', 'who works for this merchant').conflicts('operator'))
    .option('--role <role>', merchantRoles.join(', '), oneOf(merchantRoles, 'The role'), 'owner')
    .addOption(new Option('--operator <name>', 'who is this operator, who is added if there is none'))
    .option('--operator-role <role>', roles.join(', '), oneOf(roles, 'The role'), 'operator')
    .option('--language <language>', languages.join(' or '), oneOf(languages, 'The language'), 'en')
    .action(run(create));
  user.command('list').description('everybody, also those who were ended').action(run(list));
  user
    .command('reset-second-factor <email>')
    .description('for who has lost the phone and the recovery codes: a new one is added at the next sign-in')
    .action(run(resetSecondFactor));
  user
    .command('sign-out <email>')
    .description('end every session of a user, and what browsers are known by')
    .action(run(signOut));
  user
    .command('end <email>')
    .description('end a user for good; an operator is revoked besides')
    .action(run(end));
}

interface Options {
  merchant?: string;
  role: MerchantRole;
  operator?: string;
  operatorRole: Role;
  language: string;
}

async function create(session: Session, email: string, options: Options): Promise<Report> {
  const { context, acting, portal } = session;
  const { url, sendsMail } = portal();
  const isOfMerchant = options.merchant !== undefined;
  if (!isOfMerchant && options.operator === undefined)
    throw new UsageError('Name the --merchant the person works for, or the --operator who it is.');
  const merchant =
    options.merchant === undefined ? undefined : await getMerchantOrThrow(context.db, options.merchant);
  const invitation: Invitation = {
    email,
    locale: isLanguage(options.language) ? options.language : 'en',
    by: acting.by,
    ...(merchant && { member: { merchantId: merchant.merchant_id, role: options.role } }),
  };
  const invited = (trx: Transaction): Promise<Invited> =>
    invite(trx, invitation, ({ user, token }) =>
      sendsMail ? invitationMail(url, user, { token, merchantName: merchant?.name }) : undefined,
    );
  const invitedAs = async (trx: Transaction): Promise<Invited> => {
    const made = await invited(trx);
    const change = { what: 'member_invited' as const, values: { email, role: options.role } };
    await tellDecidersOf(trx, tellingOf(session, merchant?.merchant_id ?? ''), change);
    return made;
  };
  const { token, operatorToken } = merchant
    ? { ...(await ofMerchant(session, invitedAs)), operatorToken: undefined }
    : await ofOperator(session, invited, { name: options.operator ?? '', role: options.operatorRole });
  const told = {
    email,
    ...(merchant
      ? { merchant_id: merchant.merchant_id, role: options.role }
      : { operator: options.operator }),
    link: linkOf(url, 'invitation', token),
    ...(operatorToken !== undefined && { operator_token: operatorToken }),
  };
  const mailed = sendsMail ? 'It is mailed, too.' : 'No mail server is set, so hand it over yourself.';
  return {
    json: told,
    text: `${facts(Object.entries(told))}\n\nThe link works once, within 72 hours. ${mailed}`,
  };
}

const about = (user: Pick<UserRow, 'user_id'>) => ({ subject: { kind: 'user', id: user.user_id } });

/** Whoever owns a merchant's account makes its keys. */
function ofMerchant(
  { context, acting }: Session,
  invited: (trx: Transaction) => Promise<Invited>,
): Promise<Invited> {
  return asRefusal(() =>
    inTransaction(context.db, async (trx) => {
      const made = await invited(trx);
      await acting.record(trx, { ...about(made.user), needs: { kind: 'keys' } });
      return made;
    }),
  );
}

async function ofOperator(
  { context, acting, config }: Session,
  invited: (trx: Transaction) => Promise<Invited>,
  { name, role }: { name: string; role: Role },
): Promise<Invited & { operatorToken: string | undefined }> {
  const seen: { made?: Invited } = {};
  const linked = async (trx: Transaction) => {
    seen.made = await invited(trx);
    await linkOperator(trx, seen.made.user.user_id, name);
    await acting.record(trx, { ...about(seen.made.user), needs: { kind: 'operators' } });
  };
  const isThere = (await findActive(context.db, name)) !== undefined;
  const operatorToken = await asRefusal(() =>
    isThere
      ? inTransaction(context.db, linked).then(() => undefined)
      : createOperator(context.db, { name, role, by: acting.by, environment: config.environment }, linked),
  );
  if (!seen.made) throw new Error('nobody was invited');
  return { ...seen.made, operatorToken };
}

async function asRefusal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof PeopleRefusal ? new Refusal(error.message) : error;
  }
}

async function getUser({ context }: Session, email: string): Promise<UserRow> {
  const user = await findUser(context.db, email);
  if (!user) throw new Refusal('No user has this address.');
  return user;
}

async function resetSecondFactor(session: Session, email: string): Promise<Report> {
  const { context, acting, portal } = session;
  const user = await getUser(session, email);
  const { url, sendsMail } = portal();
  await inTransaction(context.db, async (trx) => {
    await removeSecondFactor(trx, user.user_id);
    if (sendsMail) await enqueueMail(trx, noticeMail(url, user, 'second_off'));
    await acting.record(trx, { ...about(user), needs: { kind: 'keys' } });
  });
  return { json: { email: user.email, reset: true }, text: `${user.email} has no second factor any more.` };
}

async function signOut(session: Session, email: string): Promise<Report> {
  const { context, acting } = session;
  const user = await getUser(session, email);
  const ended = await inTransaction(context.db, async (trx) => {
    const n = await endOtherSessions(trx, user.user_id, undefined);
    await acting.record(trx, { ...about(user), details: { ended: n } });
    return n;
  });
  return {
    json: { email: user.email, sessions_ended: ended },
    text: `${user.email} is signed out: ${String(ended)} sessions have ended.`,
  };
}

async function end(session: Session, email: string): Promise<Report> {
  const { context, acting } = session;
  const user = await getUser(session, email);
  await inTransaction(context.db, async (trx) => {
    const left = await endUser(trx, user.user_id);
    const reason = 'the account of who asked for it was ended';
    const rejected =
      user.operator_name === null || user.operator_name === acting.by
        ? []
        : await rejectAskedBy(trx, user.operator_name, { by: acting.by, reason });
    for (const { merchantId, role, ...ended } of left) {
      const change = { what: 'member_ended' as const, values: { email: user.email, role }, ended };
      await tellDecidersOf(trx, tellingOf(session, merchantId), change);
    }
    // Who may approve is as good as a rule of approvals: nobody takes the second person away alone.
    const needs = user.operator_name === null ? {} : { needs: { kind: 'operators' as const } };
    const ended = left.map((one) => ({ merchant_id: one.merchantId, role: one.role, ...endedDetails(one) }));
    await acting.record(trx, {
      ...about(user),
      details: { ended, ...(rejected.length > 0 && { rejected }) },
      ...needs,
    });
  });
  return { json: { email: user.email, ended: true }, text: `${user.email} is ended.` };
}

async function list({ context, config }: Session): Promise<Report> {
  const users = await listUsers(context.db);
  const clock = clockOf(config.timezone);
  const shown = users.map((user) => ({
    email: user.email,
    operator: user.operator_name,
    second_factor: hasSecondFactor(user),
    state: user.ended_at ? 'ended' : user.password_hash === null ? 'invited' : 'active',
    created_at: user.created_at,
  }));
  const rows = shown.map((user) => [
    user.email,
    user.operator ?? '',
    user.second_factor ? 'yes' : 'no',
    user.state,
    clock(user.created_at),
  ]);
  return {
    json: { users: shown },
    text:
      rows.length === 0
        ? 'Nobody works in the portal yet: malipo user create.'
        : table(['e-mail', 'operator', 'second factor', 'state', 'since'], rows),
  };
}
