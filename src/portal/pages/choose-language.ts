import { recordOwn } from '../../users/sign-in';
import { setLocale } from '../../users/users';
import { inTransaction } from '../../store/transaction';
import { safeNext } from '../forgery';
import { languageOf } from '../language';
import { go, type Answer, type Visit } from '../visit';

/** Kept by the browser, and for mails by the account of who is signed in. */
export async function changeLanguage({ db, cookies, form, session }: Visit): Promise<Answer> {
  const language = languageOf(form('language'));
  if (session && session.person.locale !== language)
    await inTransaction(db, async (trx) => {
      await setLocale(trx, session.person.userId, language);
      await recordOwn(trx, session.person, 'user.language', { language });
    });
  return go(safeNext(form('next')), [cookies.set('language', language)]);
}
