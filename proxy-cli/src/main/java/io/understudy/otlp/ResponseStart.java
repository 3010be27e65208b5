package io.understudy.otlp;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** Keeps the first bytes of a response's body, whatever its length. */
final class ResponseStart implements HttpResponse.BodySubscriber<String> {
    private static final int MOST = 512;

    private final ByteArrayOutputStream start = new ByteArrayOutputStream();
    private final CompletableFuture<String> text = new CompletableFuture<>();

    @Override
    public CompletionStage<String> getBody() {
        return text;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            byte[] bytes = new byte[Math.min(buffer.remaining(), MOST - start.size())];
            buffer.get(bytes);
            start.writeBytes(bytes);
        }
    }

    @Override
    public void onError(Throwable cause) {
        text.completeExceptionally(cause);
    }

    @Override
    public void onComplete() {
        // A message of protobuf has its texts between a few bytes of control characters.
        text.complete(start.toString(StandardCharsets.UTF_8)
                .replaceAll("[\\p{Cntrl}\\uFFFD]+", " ")
                .strip());
    }
}
