import { expect, test } from 'vitest'
import { claimedIdentity, reviewedIdentity } from './identity.ts'

const token = (claims: unknown): string => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`
const review = (username: unknown) => ({ status: { userInfo: { username } } })

test('all ServiceAccounts of a namespace share an account, and others have one for each user [security/dashboard]', () => {
  const ofShop = { account: { name: 'namespace shop', isMinted: true }, namespace: 'shop' }
  expect(reviewedIdentity(review('system:serviceaccount:shop:a'))).toEqual(ofShop)
  expect(reviewedIdentity(review('system:serviceaccount:shop:b'))).toEqual(ofShop)
  expect(reviewedIdentity(review('jane'))).toEqual({ account: { name: 'user jane', isMinted: false }, namespace: '' })
  expect(reviewedIdentity(review('namespace shop'))).toEqual({
    account: { name: 'user namespace shop', isMinted: false },
    namespace: '',
  })
})

test.each([undefined, null, 'text', {}, { status: null }, review(''), review(7)])(
  'a review that says %j names nobody',
  (said) => {
    expect(reviewedIdentity(said)).toBeUndefined()
  },
)

test('without reviews the claims of a token say whose it is, each issuer for itself [security/dashboard]', () => {
  const minted = [1, 2].map((iat) => token({ iss: 'https://api', sub: 'system:serviceaccount:shop:a', iat }))
  const [one, other] = minted.map((each, at) => claimedIdentity(each, `digest-${at}`))
  expect(one).toEqual({ account: { name: 'namespace shop of https://api', isMinted: true }, namespace: 'shop' })
  expect(other).toEqual(one)
  const elsewhere = claimedIdentity(token({ iss: 'https://idp', sub: 'system:serviceaccount:shop:a' }), 'd')
  expect(elsewhere.account).not.toEqual(one?.account)
  for (const opaque of ['abc', 'a.b.c', '..', token([]), token({ sub: 7 }), token(null)])
    expect(claimedIdentity(opaque, 'digest')).toEqual({
      account: { name: 'token digest', isMinted: true },
      namespace: '',
    })
})
