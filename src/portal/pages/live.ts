/** The part of a page that renews itself: asked for as the page is, and left as it is while it is the same. */
import { createHash } from 'node:crypto';
import { draw, template } from '../render';
import type { Visit } from '../visit';

/** What a page that renews itself shows already, by its digest; compared with what it would show now. */
export const seenHeader = 'x-malipo-seen';

const regionTemplate = template(
  `<div id="<%= it.id %>"<% if (it.url) { %> data-live hx-get="<%= it.url %>" hx-trigger="every <%= it.seconds %>s" hx-select="#<%= it.id %>" hx-swap="outerHTML" hx-headers='{"${seenHeader}":"<%= it.seen %>"}'<% } %>><%~ it.html %></div>`,
);
const pauseTemplate = template(
  `<p class="live"><button type="button" class="link" hidden data-live-pause="<%= it.t('live.pause') %>" data-go-on="<%= it.t('live.go_on') %>"><%= it.t('live.pause') %></button></p>`,
);

interface Region {
  id: string;
  /** Where it is asked for again; empty for what stands still. */
  url: string;
  seconds: number;
  html: string;
}

/** @returns what is drawn, the button that stops it outside of it, and what `Answer` is told of it. */
export function live(visit: Visit, { html, ...region }: Region): { html: string; seen: string } {
  const seen = createHash('sha256').update(html).digest('base64url').slice(0, 22);
  const drawn = draw(visit, regionTemplate, { ...region, html, seen });
  // What has just come to an end is drawn once more, without what asks for it again.
  const isLive = region.url !== '';
  return { html: isLive ? drawn + draw(visit, pauseTemplate) : drawn, seen: isLive ? seen : '' };
}
