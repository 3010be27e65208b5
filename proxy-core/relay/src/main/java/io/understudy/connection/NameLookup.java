package io.understudy.connection;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;

/** Resolves host names for threads that may wait. Thread-safe. */
@FunctionalInterface
public interface NameLookup {
    /** Resolves as the Java runtime does; for programs that end soon. */
    NameLookup RUNTIME = (host, timeout) -> List.of(InetAddress.getAllByName(host));

    /**
     * Returns the addresses of a name, at least one; an IP literal is its own address.
     *
     * @throws IOException if the name is not known, or no name server responds within {@code timeout}
     */
    List<InetAddress> lookup(String host, Duration timeout) throws IOException;
}
