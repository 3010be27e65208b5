package io.understudy.pages;

/** The buffer pool is larger than the caller allowed. */
public final class PoolTooLarge extends Exception {
    private static final long serialVersionUID = 1L;

    PoolTooLarge(String message) {
        super(message);
    }
}
