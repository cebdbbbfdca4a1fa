import { expect, test } from 'vitest'
import { mediaTypeProblem } from './media-type.ts'

test.each([
  'application/json',
  'APPLICATION/JSON; charset=UTF-8',
  'json',
  'text/plain;',
  'text/plain; ',
  'text/plain; charset="a \\" b"; format=flowed',
  'text/plain; a=b; a=b',
  'text/plain; path="C:\\dir\\file"',
])('a Content-Type is one: %s', (text) => {
  expect(mediaTypeProblem(text)).toBeUndefined()
})

test.each([
  ['', 'mime: no media type'],
  [';', 'mime: no media type'],
  ['/json', 'mime: no media type'],
  ['application json', 'mime: expected slash after first token'],
  ['application/', 'mime: expected token after slash'],
  ['application/json, text/plain', 'mime: unexpected content after media subtype'],
  ['application/json; charset', 'mime: invalid media parameter'],
  ['application/json; =utf-8', 'mime: invalid media parameter'],
  ['application/json; charset=', 'mime: invalid media parameter'],
  ['application/json; charset="utf-8', 'mime: invalid media parameter'],
  ['application/json;;', 'mime: invalid media parameter'],
  ['application/json; a=b; A=c', 'mime: duplicate parameter name'],
])('a Content-Type is invalid: %j (%s)', (text, problem) => {
  expect(mediaTypeProblem(text)).toBe(problem)
})
