<?php

declare(strict_types=1);

namespace Malipo;

/** The webhook has a wrong signature, or is too old. */
final class WebhookError extends \RuntimeException
{
}
