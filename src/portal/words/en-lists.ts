/** How lists are gone through, what renews itself, and what is refused on the way. */
export const enLists = {
  'list.looked_to': 'Looked through everything back to',
  'list.look_further': 'Look further back',
  'pager.first': 'Back to the first page',
  'pager.next': 'Next page',
  'home.more': 'All merchants',
  'ops.merchant.by_id': 'There are too many merchants for a list: its id is on its page.',
  'ops.cases.among':
    'The most money among the {n} oldest cases. Close some, and the others are weighed, too.',
  'error.form_too_large.title': 'That was too much for one form',
  'error.form_too_large.text': 'Nothing was done. Go back, and send less text.',
  'error.sent_before.title': 'This form was sent already',
  'error.sent_before.text':
    'What it asked for was done once, or waits for a second person. Load the page again before you send another.',
  'error.unseen.title': 'A text holds characters that nobody can see',
  'error.unseen.text': 'Nothing was done. Go back, delete the text that you pasted, and type it.',
  'payouts.not_now.unserved':
    'This way of paying is not served here now, so nothing went out. Ask whoever runs this service.',
  'live.pause': 'Pause updates',
  'live.go_on': 'Update by itself again',
  'error.suspended.title': 'Nothing can be done for this merchant now',
} as const;
