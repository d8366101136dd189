<?php

declare(strict_types=1);

namespace Malipo;

/** The method and path of an operation. */
final class Route
{
    public function __construct(
        public readonly string $method,
        public readonly string $path,
        /** A repeat with the same key gets the first answer again. */
        public readonly bool $takesKey,
        /** A repeat has no further effect. */
        public readonly bool $mayRepeat,
    ) {
    }
}
