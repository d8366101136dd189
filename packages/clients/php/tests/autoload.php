<?php

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Malipo\\')) {
        require __DIR__ . '/../src/' . substr($class, strlen('Malipo\\')) . '.php';
    }
});
