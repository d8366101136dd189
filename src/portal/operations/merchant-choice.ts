/** The field of a form that says which merchant: a list of them, or the id where they are too many for one. */
import { someMerchants } from '../../merchants/merchants';
import { draw, template } from '../render';
import type { PlatformVisit } from '../visit';

const choiceTemplate = template(`<label for="merchant"><%= it.t('ops.merchant') %></label>
<% if (it.merchants.length > it.most) { %><p class="hint" id="merchant-hint"><%= it.t('ops.merchant.by_id') %></p><input id="merchant" name="merchant" maxlength="36" autocomplete="off" spellcheck="false" aria-describedby="merchant-hint">
<% } else { %><select id="merchant" name="merchant"><option value=""><%= it.none %></option><% for (const one of it.merchants) { %><option value="<%= one.merchant_id %>"><%= one.name %></option><% } %></select><% } %>`);

const listedMax = 100;

/** @param none what it says where no merchant is chosen. */
export async function merchantChoice(visit: PlatformVisit, none = ''): Promise<string> {
  const merchants = await someMerchants(visit.db, { limit: listedMax + 1 });
  return draw(visit, choiceTemplate, { merchants, most: listedMax, none });
}
