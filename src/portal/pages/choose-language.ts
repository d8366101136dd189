import { setLocale } from '../../people/users';
import { safeNext } from '../forgery';
import { languageOf } from '../language';
import { go, type Answer, type Visit } from '../visit';

/** Kept by the browser, and for mails by the account of who is signed in. */
export async function changeLanguage({ db, cookies, form, session }: Visit): Promise<Answer> {
  const language = languageOf(form('language'));
  if (session) await setLocale(db, session.person.userId, language);
  return go(safeNext(form('next')), [cookies.set('language', language)]);
}
