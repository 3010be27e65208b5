package io.understudy.connection;

import java.io.IOException;

/** A connection that was not tried, because the last file descriptors are reserved for responses to new clients. */
final class NoDescriptorException extends IOException {
    private static final long serialVersionUID = 1L;

    NoDescriptorException() {
        super("out of file descriptors");
    }
}
