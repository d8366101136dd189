<?php

declare(strict_types=1);

namespace Malipo;

/** What claims to be a webhook is not ours, or is too old. */
final class WebhookError extends \RuntimeException
{
}
