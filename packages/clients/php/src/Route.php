<?php

declare(strict_types=1);

namespace Malipo;

/** Where an operation is. */
final class Route
{
    public function __construct(
        public readonly string $method,
        public readonly string $path,
        /** Repeats of the same key are answered as the first was. */
        public readonly bool $takesKey,
        /** Done twice, it is as done once. */
        public readonly bool $mayRepeat,
    ) {
    }
}
