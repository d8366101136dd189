<?php

/** Makes the calls that stand in its input, one after the other, and writes what came of each. */

declare(strict_types=1);

use Malipo\Malipo;
use Malipo\OutcomeUnknown;
use Malipo\Refused;

spl_autoload_register(static function (string $class): void {
    require getenv('MALIPO_SOURCE') . '/' . basename(str_replace('\\', '/', $class)) . '.php';
});

function verdictOf(array $call): array
{
    $options = array_filter(
        ['idempotencyKey' => $call['idempotencyKey'] ?? null, 'isRepeat' => $call['isRepeat'] ?? null],
        static fn ($value): bool => $value !== null,
    );
    try {
        $malipo = new Malipo($call['url'], 'k', 's3cret', triesMax: $call['triesMax'], firstPauseS: 0.001);
        if ($call['operation'] === 'eventPages') {
            $pages = iterator_to_array($malipo->eventPages($call['input']), false);
            return ['kind' => 'taken', 'body' => ['pages' => $pages]];
        }
        $input = $call['input'] === [] ? [] : ['input' => $call['input']];
        return ['kind' => 'taken', 'body' => $malipo->{$call['operation']}(...$input, ...$options)];
    } catch (Refused $error) {
        return [
            'kind' => 'refused',
            'status' => $error->status,
            'code' => $error->errorCode,
            'paymentId' => $error->paymentId,
            'requestId' => $error->requestId,
            'retryAfterS' => $error->retryAfterS,
            'message' => $error->getMessage(),
        ];
    } catch (OutcomeUnknown $error) {
        return [
            'kind' => 'unknown',
            'idempotencyKey' => $error->idempotencyKey,
            'paymentId' => $error->paymentId,
            'requestId' => $error->requestId,
            'message' => $error->getMessage(),
        ];
    } catch (\Throwable $error) {
        return ['kind' => 'misuse', 'message' => get_class($error) . ': ' . $error->getMessage()];
    }
}

echo json_encode(array_map('verdictOf', json_decode(stream_get_contents(STDIN), true)), JSON_THROW_ON_ERROR);
