package io.understudy.connection;

import java.io.IOException;

/** A host name could not be resolved. The message names the host, says why and what to check. */
public final class NameLookupException extends IOException {
    private static final long serialVersionUID = 1L;

    NameLookupException(String host, String why, Throwable cause) {
        super("name lookup of '" + host + "': " + why, cause);
    }
}
