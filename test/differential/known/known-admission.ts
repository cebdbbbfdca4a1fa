import { inPath, type KnownDifference } from './occurrence.ts'

const isNamespace = inPath(/^\/api\/v1\/(?:watch\/)?namespaces(?:\/[^/?]*)?(?:\/(?:finalize|status))?\/?(?:\?|$)/)

const isRequest = inPath(/certificatesigningrequests/)

/** Of webhooks, authorization and other admission. */
export const ADMISSION: readonly KnownDifference[] = [
  {
    pattern:
      /^message: real "Timeout: request did not complete within requested timeout [\d.]+m?s", allot "Timeout: request did not complete within requested timeout - context deadline exceeded"$/,
    reason: 'the timeout of a request is worded differently',
    since: '1.21',
  },
  {
    pattern:
      /^code: real 500, allot 504 \[allot: Timeout: request did not complete within requested timeout - .*\] \[real: .*context deadline exceeded\]$/,
    reason:
      'the times of a request and of what it asks a webhook end together, and the real server tells whichever it sees first',
    since: 'allot',
  },
  {
    pattern: /^asked\[\d+\]\.review\.request\.userInfo\.uid: real "admin", allot nothing$/,
    reason: 'the real administrator comes from a file of tokens, which gives a uid; that of allot has none',
    since: 'allot',
  },
  {
    pattern: /^asked\[\d+\]\.review\.request\.oldObject\.metadata\.managedFields: real nothing, allot \[/,
    reason: 'the old object is shown with its managed fields at updates too',
    since: '1.21',
  },
  {
    pattern:
      /^asked\[\d+\]\.review\.request\.object\.metadata(\.namespace: real nothing, allot "WORD"|: real nothing, allot \{"namespace":"WORD"\})$/,
    reason: 'the namespace on the URL is filled in before admission',
    since: '1.22',
  },
  {
    pattern: /^asked\[\d+\]\.review\.request\.(object|oldObject)\.metadata\.generation: real nothing, allot \d$/,
    reason: 'pods count the changes of their spec',
    since: '1.33',
  },
  {
    pattern: /^asked\[\d+\]\.review\.request\.object\.status: real \{"allowed":false\}, allot nothing$/,
    reason: 'a review is asked about as it was sent, without the answer that it has not got yet',
    since: 'allot',
  },
  {
    pattern:
      /^asked\[0\]\.review\.request\.object\.(metadata\.(creationTimestamp|resourceVersion|uid)|status\.selector): real nothing, allot "/,
    when: ({ method, path }) => method === 'PUT' && path.endsWith('/scale'),
    reason: 'a Scale is asked about as it will be, not as it was sent',
    since: 'allot',
  },
  {
    pattern:
      /^metadata\.labels(?:: real nothing, allot \{"kubernetes\.io\/metadata\.name":"[^"]*"\}|\.kubernetes\.io\/metadata\.name: real nothing, allot "[^"]*")$/,
    when: isNamespace,
    reason: 'namespaces are labelled with their names',
    since: '1.21',
  },
  {
    pattern:
      /^metadata\.managedFields\[\d+\]\.fieldsV1\.f:metadata(?:\.f:labels(?:\.f:kubernetes\.io\/metadata\.name)?)?: real nothing, allot (?:\{"f:labels":)?(?:\{"\.":\{\},"f:kubernetes\.io\/metadata\.name":)?\{\}\}{0,2}$/,
    when: isNamespace,
    reason: 'namespaces are labelled with their names',
    since: '1.21',
  },
  {
    pattern: /^code: real 403, allot 401 \[allot: Unauthorized\]/,
    when: ({ headers }) => headers?.['authorization'] !== undefined,
    reason: 'a header that cannot be honoured is refused, where Kubernetes takes the client for nobody in particular',
    since: 'allot',
  },
  {
    pattern:
      /^code: real \d+, allot 400 \[allot: (requested impersonation without impersonating a user|the header impersonate-\S+ cannot be honoured)\]/,
    reason: 'a header that cannot be honoured is refused, and in the form of a Status',
    since: 'allot',
  },
  {
    pattern: /^status\.(?:resourceRules: real \[|nonResourceRules\[\d+\]\.(?:nonResourceURLs|verbs\[\d+\]): real )/,
    when: ({ path }) => path.endsWith('/selfsubjectrulesreviews'),
    reason: 'rules come in no order, and everybody may also ask who they are',
    since: '1.28',
  },
  {
    pattern:
      /^(?:metadata\.(?:creationTimestamp|name|namespace): real nothing, allot "|status\.token: real "eyJ[^"]*", allot "eyJ)/,
    when: ({ path }) => path.endsWith('/token'),
    reason: 'a request for a token is answered with whose it is, and each server signs with a key of its own',
    since: '1.22',
  },
  {
    pattern:
      /^code: real 422, allot 404 \[allot: serviceaccounts "nowhere" not found\] \[real: TokenRequest\.authentication\.k8s\.io "" is invalid: spec\.expirationSeconds: /,
    reason: 'the account is looked up first',
    since: '1.22',
  },
  {
    pattern: /^asked\[\d+\]\.review\.request\.object\.status: real \{"token":""\}, allot nothing$/,
    reason: 'a request for a token is asked about as it was sent',
    since: 'allot',
  },
  {
    pattern:
      /^code: real 20[01], allot 500 \[allot: Internal error occurred: replace operation does not apply: doc is missing key: /,
    reason: 'a JSON patch replaces nothing that is not there',
    since: '1.24',
  },
  {
    pattern: /^spec\.uid: real "admin", allot nothing$/,
    when: isRequest,
    reason: 'the real administrator comes from a file of tokens, which gives a uid; that of allot has none',
    since: 'allot',
  },
  {
    pattern: /^metadata\.managedFields/,
    when: isRequest,
    reason: 'what a write of a request for a certificate cannot change has no manager',
    since: '1.22',
  },
  {
    pattern: /Required value: usages must be provided/,
    when: isRequest,
    reason: 'that usages are required is said as of every field',
    since: '1.34',
  },
  {
    pattern:
      /^metadata\.managedFields\[\d+\]\.fieldsV1\.f:secrets\.k:\{"name":"[^"]*"\}\.f:name: real \{\}, allot nothing$/,
    reason: 'a reference to a secret is owned as a whole',
    since: '1.23',
  },
]
