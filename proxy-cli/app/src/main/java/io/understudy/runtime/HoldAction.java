package io.understudy.runtime;

import io.understudy.ProxyServer;
import io.understudy.admin.AdminAction;
import io.understudy.base.Durations;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code POST /api/hold}: {@code max} bounds it; with {@code detach=true} it outlives the connection that asked. */
record HoldAction(ProxyServer proxy) implements AdminAction {
    private static final Duration DEFAULT = Duration.ofSeconds(2);

    @Override
    public Object run(Map<String, String> parameters) throws InterruptedException {
        return run(parameters, new CompletableFuture<>());
    }

    @Override
    public Object run(Map<String, String> parameters, CompletionStage<Void> gone) throws InterruptedException {
        String max = parameters.get("max");
        boolean detached = Boolean.parseBoolean(parameters.get("detach"));
        return proxy.hold(max == null ? DEFAULT : Durations.parse(max), detached ? new CompletableFuture<>() : gone);
    }
}
