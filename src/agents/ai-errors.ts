/**
 * Errors of the AI SDK, known by the mark that they carry: those of another copy or major are known as well, and whoever
 * only reads errors needs no `ai` at run time.
 */
import type { APICallError, InvalidResponseDataError, JSONParseError, NoOutputGeneratedError, RetryError, TypeValidationError } from 'ai'

interface AiErrors {
  AI_APICallError: APICallError
  AI_InvalidResponseDataError: InvalidResponseDataError
  AI_JSONParseError: JSONParseError
  AI_NoOutputGeneratedError: NoOutputGeneratedError
  AI_RetryError: RetryError
  AI_TypeValidationError: TypeValidationError
}

export function isAiError<TName extends keyof AiErrors>(error: unknown, name: TName): error is AiErrors[TName] {
  return typeof error === 'object' && error !== null && (error as Record<symbol, unknown>)[Symbol.for(`vercel.ai.error.${name}`)] === true
}
