package io.understudy.it;

/**
 * One thing that applications do. Each step runs once directly and once through the proxy, and leaves nothing behind
 * that a second run would notice.
 */
interface ApplicationStep {
    void play(Scene scene) throws Exception;
}
