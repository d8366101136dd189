import { Option, type Command } from 'commander';
import { InputError } from '../operator-actions/errors';
import { oneOf } from '../operator-actions/read';
import type { InvitedMember, InvitedOperator } from '../operator-actions/users';
import { languages, type Language } from '../portal/format';
import { findActive, roles, type Role } from '../users/operators';
import { merchantRoles, type MerchantRole } from '../users/roles';
import { hasSecondFactor, listUsers } from '../users/users';
import type { Acts, Report, Running } from './report';
import type { Session } from './session';
import { facts, table, clockOf } from './table';

export function userCommands(program: Command, { run, act, actAs }: Running): void {
  const user = program.command('user').description('users of the portal');
  actAs(
    user
      .command('create <email>')
      .description('invite a user; the link is mailed, and shown only once')
      .addOption(
        new Option('--merchant <merchant_id>', 'the user works for this merchant').conflicts('operator'),
      )
      .option('--role <role>', merchantRoles.join(', '), oneOf(merchantRoles, 'The role'), 'owner')
      .addOption(new Option('--operator <name>', 'the user is this operator, who is added if there is none'))
      .option(
        '--operator-role <role>',
        `the role of an operator who is added: ${roles.join(', ')}; operator by default`,
        oneOf(roles, 'The role'),
      )
      .option('--language <language>', languages.join(' or '), oneOf(languages, 'The language'), 'en'),
    {
      kinds: ['user.create', 'user.create-operator'],
      print: (_: Session, invited: never) => printInvited(invited),
    },
    inviting,
  );
  user.command('list').description('list all users, also closed accounts').action(run(list));
  const input = (_: Session, email: string) => ({ email });
  act(
    user
      .command('reset-second-factor <email>')
      .description(
        'remove the second factor of a user who lost the phone and the recovery codes; the next sign-in adds a new one',
      ),
    {
      kind: 'user.reset-second-factor',
      input,
      print: (_, reset) => ({ json: reset, text: `The second factor of ${reset.email} is removed.` }),
    },
  );
  act(
    user.command('sign-out <email>').description('end every session of a user, and forget their browsers'),
    {
      kind: 'user.sign-out',
      input,
      print: (_, out) => ({
        json: out,
        text: `${out.email} is signed out: ${String(out.sessions_ended)} sessions ended.`,
      }),
    },
  );
  act(
    user
      .command('end <email>')
      .description(
        "close a user's account permanently; for an operator, malipo operator revoke also ends the token",
      ),
    {
      kind: 'user.end',
      input,
      print: (_, ended) => ({ json: ended, text: `The account of ${ended.email} is closed.` }),
    },
  );
}

interface Options {
  merchant?: string;
  role: MerchantRole;
  operator?: string;
  operatorRole?: Role;
  language: Language;
}

/** Inviting a user of a merchant and inviting an operator are two actions. */
function inviting(
  email: string,
  options: Options,
): Acts<[string, Options], 'user.create'> | Acts<[string, Options], 'user.create-operator'> {
  const { merchant, role, operator, operatorRole, language } = options;
  const print = (_: Session, invited: unknown) => printInvited(invited as InvitedMember | InvitedOperator);
  if (merchant !== undefined)
    return {
      kind: 'user.create',
      input: () => ({ email, merchant_id: merchant, role, language }),
      print,
    };
  if (operator === undefined)
    throw new InputError('Name the --merchant that the user works for, or the --operator that the user is.');
  return {
    kind: 'user.create-operator',
    input: async ({ context }) => {
      const there = await findActive(context.db, operator);
      return {
        ...{ email, operator, language },
        operator_role: operatorRole ?? there?.role ?? 'operator',
        ...(there && { is_there: true }),
      };
    },
    print,
  };
}

function printInvited({ mailed, ...invited }: InvitedMember | InvitedOperator): Report {
  const delivery = mailed
    ? 'It was also mailed.'
    : 'No mail server is set: give the link to the user yourself.';
  return {
    json: invited,
    text: `${facts(Object.entries<string>({ ...invited }))}\n\nThe link works once, within 72 hours. ${delivery}`,
  };
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
        ? 'There is no user yet: malipo user create.'
        : table(['e-mail', 'operator', 'second factor', 'state', 'since'], rows),
  };
}
