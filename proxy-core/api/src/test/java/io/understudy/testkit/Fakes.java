package io.understudy.testkit;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Objects of interfaces of which a test needs only some methods. */
public final class Fakes {
    /** Computes the result of a call. */
    @FunctionalInterface
    public interface Result {
        @Nullable
        Object to(Object[] arguments);
    }

    private Fakes() {}

    /** Returns an object whose calls go to the handler. */
    @SuppressWarnings("unchecked")
    public static <T> T of(Class<T> type, InvocationHandler handler) {
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }

    /**
     * Returns an object with results by the names of methods; a {@link Result} is computed. Any other call is an error.
     */
    public static <T> T of(Class<T> type, Map<String, ?> results) {
        return of(type, (proxy, method, arguments) -> {
            if (!results.containsKey(method.getName())) {
                throw new UnsupportedOperationException(method.getName());
            }
            Object result = results.get(method.getName());
            return result instanceof Result computed ? computed.to(arguments) : result;
        });
    }
}
