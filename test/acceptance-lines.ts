/**
 * The lines of the open issues that need a test, each behind a marker: the number of the issue and a word or two. A test proves a line when
 * its name ends with the marker in brackets. `scripts/acceptance.ts` prints them all. The lines of a closed issue go.
 */
export const ACCEPTANCE_LINES: Readonly<Record<string, string>> = {
  '33/rules': '2: alerts of all five systems, the six of the seed among them, each fires and stays quiet by promtool',
  '33/runbooks': '2: a runbook for every alert, linked from it',
  '33/live-metrics': '2: no rule or panel names a metric that a live server does not show to Prometheus',
  '33/history': '1: use of the last hours per quota kept in bounded memory, and time to exhaustion from it',
  '33/exhaustion-metric': '1: the time to exhaustion as a metric',
  '33/exhaustion-top': '1: the time to exhaustion as a column of `top`, in text and JSON',
  '33/page':
    '1, It must reach: from the start page to the explanation in two clicks at most, by mouse and keyboard; the text is explain’s; tokens in memory only',
  '33/axe': 'It must reach: axe finds nothing on any view in both themes',
  '33/page-properties':
    'It must reach: under random updates and clicks no uncaught error, no bar below full where nothing fits, focus never on nothing',
  '33/many': '1: 1,000 namespaces with 10,000 limits are a virtual list',
  '33/page-viewers': 'It must reach: three viewers of the page: none sees a name of a namespace that it may not read',
  '33/page-room': '1: a viewer creates a claim from the page, as far as the token may',
  '33/page-live': '1: the page follows the event stream, and text of tenants is text',
  '33/page-size': '1: the first view under 30 kB, strict policy, no external request',
  '33/viewers': '1, It must reach: three viewers: none sees a name or a number of a namespace that it may not read',
  '33/stream': '1, It must reach: changes by event stream, and none of a namespace that the viewer may not read',
  '33/first-pages': '3: a five-minute quick start; its commands are run and print what it shows',
  '33/reference':
    '3: kinds, flags, metrics, conditions and errors as the code has them; no page written by hand disagrees',
  '33/troubleshooting': '3: troubleshooting as a decision tree that ends in `explain`',
  '33/systems': '3: a page per system: what it is, how to move from the original, what differs',
  '33/commands': '3: every fenced command of the quick start and of the tasks is run by a test',
}
