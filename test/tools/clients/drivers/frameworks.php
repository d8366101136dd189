<?php

/**
 * php -S: a shop's webhook handler in each framework, at /NAME/FORM, with what that framework makes of the HTTP
 * request. /NAME/parsed passes the body as the framework parses it.
 */

declare(strict_types=1);

use Malipo\Webhook;
use Malipo\WebhookError;

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Malipo\\')) {
        require getenv('MALIPO_SOURCE') . '/' . substr($class, strlen('Malipo\\')) . '.php';
    }
});

set_include_path((string) getenv('FRAMEWORKS'));
$secret = (string) getenv('MALIPO_WEBHOOK_SECRET');
[$framework, $form] = explode('/', trim((string) $_SERVER['REQUEST_URI'], '/')) + ['', ''];

/** @return array<string, string> what verify says */
function resultOf(callable $verify): array
{
    try {
        $webhook = $verify();
        return ['id' => $webhook->id, 'type' => $webhook->type, 'event' => $webhook->eventType];
    } catch (\Throwable $error) {
        $name = $error instanceof WebhookError ? 'WebhookError' : get_class($error);
        return ['error' => $name, 'message' => $error->getMessage()];
    }
}

$handlers = [
    'plain' => static fn (): Webhook => match ($form) {
        'server' => Webhook::verify(file_get_contents('php://input'), $_SERVER, $secret),
        'headers' => Webhook::verify(file_get_contents('php://input'), getallheaders(), $secret),
        'parsed' => Webhook::verify($_POST, $_SERVER, $secret),
    },
    'symfony' => static function () use ($form, $secret): Webhook {
        require_once 'Symfony/Component/HttpFoundation/autoload.php';
        $request = Symfony\Component\HttpFoundation\Request::createFromGlobals();
        return match ($form) {
            'request' => Webhook::verify($request->getContent(), $request, $secret),
            'headers' => Webhook::verify($request->getContent(), $request->headers, $secret),
            'parsed' => Webhook::verify($request->toArray(), $request, $secret),
        };
    },
    'laravel' => static function () use ($form, $secret): Webhook {
        require_once 'Illuminate/Http/autoload.php';
        $request = Illuminate\Http\Request::capture();
        return match ($form) {
            'request' => Webhook::verify($request->getContent(), $request, $secret),
            'headers' => Webhook::verify($request->getContent(), $request->header(), $secret),
            'parsed' => Webhook::verify($request->all(), $request, $secret),
        };
    },
    'nyholm' => static function () use ($form, $secret): Webhook {
        require_once 'Nyholm/Psr7/autoload.php';
        $input = fopen('php://input', 'rb');
        $request = new Nyholm\Psr7\ServerRequest('POST', $_SERVER['REQUEST_URI'], getallheaders(), $input);
        return match ($form) {
            'request' => Webhook::verify($request->getBody(), $request, $secret),
            'headers' => Webhook::verify((string) $request->getBody(), $request->getHeaders(), $secret),
            'parsed' => Webhook::verify($request->getParsedBody(), $request, $secret),
        };
    },
    'guzzle' => static function () use ($form, $secret): Webhook {
        require_once 'GuzzleHttp/Psr7/autoload.php';
        $request = GuzzleHttp\Psr7\ServerRequest::fromGlobals();
        return match ($form) {
            'request' => Webhook::verify($request->getBody(), $request, $secret),
            'headers' => Webhook::verify($request->getBody()->getContents(), $request->getHeaders(), $secret),
            'parsed' => Webhook::verify($request->getParsedBody(), $request, $secret),
        };
    },
];

if ($framework !== 'wordpress') {
    header('Content-Type: application/json');
    echo json_encode(resultOf($handlers[$framework] ?? static fn () => throw new LogicException('no such handler')));
    return;
}

// The whole of WordPress, as its own REST server answers. Only its database is empty.
$table_prefix = 'wp_';
define('ABSPATH', getenv('WORDPRESS') . '/');
define('WP_INSTALLING', true);
define('DISABLE_WP_CRON', true);
define('WP_SITEURL', 'http://127.0.0.1');
define('WP_HOME', 'http://127.0.0.1');
require ABSPATH . 'wp-settings.php';
add_action('rest_api_init', static function () use ($form, $secret): void {
    register_rest_route('shop/v1', '/webhooks', [
        'methods' => 'POST',
        'permission_callback' => '__return_true',
        'callback' => static fn (WP_REST_Request $request): array => resultOf(static fn (): Webhook => match ($form) {
            'request' => Webhook::verify($request->get_body(), $request, $secret),
            'headers' => Webhook::verify($request->get_body(), $request->get_headers(), $secret),
            'parsed' => Webhook::verify($request->get_json_params(), $request, $secret),
        }),
    ]);
});
rest_get_server()->serve_request('/shop/v1/webhooks');
