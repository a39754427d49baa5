// SPDX-License-Identifier: Apache-2.0
/* What a thread has of an allocator, from its first use to its end. */

#include <stdlib.h>

#include "allocator/internal.h"

/* The front's blocks go back, and nobody knows it any more. */
static void end_front(struct front *front)
{
	struct arena *arena = front->arena;

	pthread_mutex_lock(&arena->lock);
	(void)front_drain(front); /* what failed is tried again */
	front_free(front);
	pthread_mutex_unlock(&arena->lock);
}

/* A thread ends; in a child of fork() its locks may be taken for ever. */
static void end_thread(void *data)
{
	struct thread *thread = data;
	struct la_allocator *allocator = thread->allocator;
	unsigned int i;

	if (!guard_holds(&allocator->guard))
		return;
	for (i = 0; i < allocator->count; i++)
		if (thread->front[i])
			end_front(thread->front[i]);
	pthread_mutex_lock(&allocator->lock);
	*thread->link = thread->next;
	if (thread->next)
		thread->next->link = thread->link;
	pthread_mutex_unlock(&allocator->lock);
	free(thread);
}

int threads_init(struct la_allocator *allocator)
{
	int err = pthread_mutex_init(&allocator->lock, NULL);

	if (err)
		return -err;
	err = pthread_key_create(&allocator->key, end_thread);
	if (err)
		pthread_mutex_destroy(&allocator->lock);
	return -err;
}

void threads_free(struct la_allocator *allocator)
{
	struct thread *thread = allocator->thread, *next;
	unsigned int i;

	pthread_key_delete(allocator->key);
	for (; thread; thread = next) {
		next = thread->next;
		for (i = 0; i < allocator->count; i++)
			free(thread->front[i]);
		free(thread);
	}
	pthread_mutex_destroy(&allocator->lock);
}

/* NULL: out of memory. */
struct thread *thread_new(struct la_allocator *allocator)
{
	struct thread *thread;

	thread = calloc(1, sizeof(*thread) +
				   allocator->count * sizeof(*thread->front));
	if (!thread)
		return NULL;
	thread->allocator = allocator;
	if (pthread_setspecific(allocator->key, thread)) {
		free(thread);
		return NULL;
	}
	pthread_mutex_lock(&allocator->lock);
	thread->next = allocator->thread;
	thread->link = &allocator->thread;
	if (thread->next)
		thread->next->link = &thread->next;
	allocator->thread = thread;
	pthread_mutex_unlock(&allocator->lock);
	return thread;
}

/* NULL: out of memory. */
struct front *thread_front(struct thread *thread, unsigned int device)
{
	struct arena *arena = &thread->allocator->arena[device];

	if (!thread->front[device]) {
		pthread_mutex_lock(&arena->lock);
		thread->front[device] = front_new(arena);
		pthread_mutex_unlock(&arena->lock);
	}
	return thread->front[device];
}
